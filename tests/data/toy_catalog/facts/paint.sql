-- summary: Colours of a toy world; a colour called error is an error.
-- grain: event_id
-- columns: event_id  the event
--          colour    its colour
SELECT event_id, CASE WHEN colour = 'error' THEN error('no such colour') ELSE colour END AS colour
FROM _parsed
WHERE colour IS NOT NULL
