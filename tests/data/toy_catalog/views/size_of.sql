-- summary: Sizes with their weights.
-- grain: event_id
-- columns: event_id  the event
--          size      its size
--          weight    ten times as much
SELECT t.event_id, t.size, t.size * f.factor AS weight
FROM thing t CROSS JOIN factor f
