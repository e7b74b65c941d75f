-- summary: Standing baselines of one task on one host with their documents, newest first.
-- grain: event_id
-- columns: event_id  the event
--          document  the baseline, canonical JSON
-- param: task_id VARCHAR  the task
-- param: host VARCHAR  the host
SELECT b.event_id, CAST(e.payload->'$.document' AS VARCHAR) AS document
FROM task_baselines b
JOIN events e USING (event_id)
WHERE b.task_id = $task_id AND b.host = $host
ORDER BY coalesce(b.captured_us, b.recorded_us) DESC, b.event_id
LIMIT 20
