-- summary: Things of a toy world; on purpose not total: a size that is no number is an error.
-- grain: event_id
-- columns: event_id  the event
--          size      its size
SELECT event_id, CAST(size AS INTEGER) AS size
FROM _parsed
WHERE kind = 'collection' AND size IS NOT NULL
