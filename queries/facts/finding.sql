-- summary: What was noteworthy about an event's input: skipped, cut, ambiguous, replaced.
-- grain: event_id, position
-- columns: event_id  the event
--          position  position within the event, from 0
--          code      stable code
--          message   one sentence
--          place     file, line or field
WITH entry AS (
    SELECT event_id, unnest(p.findings) AS f, generate_subscripts(p.findings, 1) - 1 AS position
    FROM _parsed
)
SELECT
    event_id,
    CAST(position AS INTEGER) AS position,
    coalesce(f.code, 'unnamed') AS code,
    coalesce(f.message, '') AS message,
    coalesce(f.where, '') AS place
FROM entry
WHERE f IS NOT NULL
