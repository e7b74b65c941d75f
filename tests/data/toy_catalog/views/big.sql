-- summary: Things above a size; defined after size_of, which it uses.
-- grain: event_id
-- columns: event_id  the event
--          size      its size
SELECT event_id, size FROM size_of WHERE weight > 100
