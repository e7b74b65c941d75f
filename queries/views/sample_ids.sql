-- summary: Samples that rows and events stand for, by their ids.
-- grain: sample_id
-- columns: sample_id  the sample
--          series_id  its series
-- param: ids VARCHAR[]  ids of rows or events
-- param: whole BOOLEAN = FALSE  with all runs of their series
WITH hit AS (
    SELECT s.sample_id, s.series_id
    FROM samples s
    WHERE list_contains($ids, s.sample_id) OR list_contains($ids, s.event_id) OR list_has_any($ids, s.ids)
)
SELECT s.sample_id, s.series_id
FROM samples s
WHERE CASE
    WHEN $whole THEN s.series_id IN (SELECT h.series_id FROM hit h)
    ELSE s.sample_id IN (SELECT h.sample_id FROM hit h)
END
ORDER BY s.at_us, s.sample_id
