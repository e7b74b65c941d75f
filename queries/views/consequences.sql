-- summary: What rests on an event, directly or through others.
-- grain: event_id
-- columns: event_id  the later event
--          kind      what it is
--          about     one line that tells what it says
--          how       what ties it to what it rests on
-- param: id VARCHAR  identity of the event
WITH RECURSIVE reached AS (
    SELECT event_id, how FROM rests_on WHERE on_event = $id
    UNION
    SELECT r.event_id, r.how FROM rests_on r JOIN reached s ON s.event_id = r.on_event
)
SELECT r.event_id, any_value(l.kind) AS kind, any_value(l.about) AS about, min(r.how) AS how
FROM reached r JOIN event_log l USING (event_id)
GROUP BY r.event_id
ORDER BY r.event_id
