-- summary: What a person decided last about a row or an event; decisions that were retracted count no more.
-- grain: target
-- columns: target       id of the row or event
--          disposition  exploratory, measured, historical, rejected or promotion_candidate
--          why          reason that was given
--          by_event     the annotation
SELECT
    target,
    arg_max(disposition, {t: recorded_us, e: event_id}) AS disposition,
    arg_max(why, {t: recorded_us, e: event_id}) AS why,
    arg_max(event_id, {t: recorded_us, e: event_id}) AS by_event
FROM annotation ANTI JOIN retracted USING (event_id)
WHERE disposition IS NOT NULL
GROUP BY target
