-- summary: Events that rest, directly or through others, on something that was retracted.
-- grain: event_id
-- columns: event_id  the event that can't be relied on as it stands
--          on_event  the retracted event it rests on; one of them
--          why       reason that was given there
WITH RECURSIVE reached AS (
    SELECT r.event_id, x.event_id AS on_event, x.why
    FROM rests_on r JOIN retracted x ON x.event_id = r.on_event
    UNION
    SELECT r.event_id, s.on_event, s.why
    FROM rests_on r JOIN reached s ON s.event_id = r.on_event
)
SELECT event_id, min(on_event) AS on_event, arg_min(why, on_event) AS why
FROM reached
WHERE event_id NOT IN (SELECT t.event_id FROM retracted t)
GROUP BY event_id
