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
