-- summary: Events that were taken back by a later one.
-- kinds: retraction
-- grain: event_id
-- columns: event_id     the retraction
--          target       id of the event that is taken back
--          why          reason that was given
--          recorded_us  when, UTC microseconds
SELECT event_id, p.target AS target, p.why AS why, recorded_us
FROM _parsed
WHERE kind = 'retraction' AND p.target IS NOT NULL
