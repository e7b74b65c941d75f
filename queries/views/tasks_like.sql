-- summary: Tasks whose id starts with a prefix, with their documents; the newest cut of each id.
-- grain: task_id
-- columns: task_id   id of the task
--          event_id  its event
--          document  the task, canonical JSON
-- param: prefix VARCHAR  first characters of a task id
SELECT t.task_id, t.event_id, CAST(e.payload->'$.document' AS VARCHAR) AS document
FROM tasks t
JOIN (FROM events UNION ALL BY NAME FROM conflicts) e USING (event_id)
ANTI JOIN repeated_places p ON p.hash = e.hash
WHERE starts_with(t.task_id, $prefix)
ORDER BY t.task_id
LIMIT 20
