-- summary: What a person decided about evidence.
-- kinds: annotation
-- grain: event_id
-- columns: event_id     the annotation
--          target       id of the row or event it is about
--          disposition  exploratory, measured, historical, rejected or promotion_candidate
--          why          reason that was given
--          recorded_us  when, UTC microseconds
SELECT event_id, p.target AS target, p.disposition AS disposition, p.why AS why, recorded_us
FROM _parsed
WHERE kind = 'annotation' AND p.target IS NOT NULL
