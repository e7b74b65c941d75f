-- summary: Things, biggest first.
-- grain: event_id
-- columns: event_id  the event
--          size      its size
-- param: least INTEGER = 0  only from this size on
-- example: atlas query things --least 5
SELECT event_id, size FROM size_of WHERE size >= $least ORDER BY size DESC
