-- summary: Which event rests on which other: what is said about a row rests on the events that hold the row.
-- grain: event_id, on_event, how
-- columns: event_id  the later event
--          on_event  the event it rests on
--          how       what ties it to that
SELECT DISTINCT a.event_id, m.event_id AS on_event, 'annotates a row of it' AS how
FROM annotation a JOIN measurement m ON m.row_id = a.target
UNION ALL
SELECT a.event_id, a.target, 'annotates it'
FROM annotation a WHERE a.target NOT IN (SELECT m.row_id FROM measurement m)
UNION ALL
SELECT event_id, supersedes, 'is a newer parse of it' FROM recording WHERE supersedes IS NOT NULL
UNION ALL
SELECT event_id, unnest(parts), 'rests on the run' FROM eval_result
UNION ALL
SELECT event_id, unnest(parts), 'rests on the run' FROM ab_run
UNION ALL
SELECT event_id, unnest(parts), 'rests on the run' FROM baseline_made
UNION ALL
SELECT e.event_id, b.event_id, 'is compared with it'
FROM eval_result e JOIN baseline_made b ON b.event_id = e.baseline_source
UNION ALL
SELECT e.event_id, t.event_id, 'evaluates the task'
FROM eval_result e JOIN task_cut t ON t.task_id = e.task_id
