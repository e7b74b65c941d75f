-- summary: Events and rows whose identity starts with a prefix.
-- grain: id
-- columns: id        identity of the event or row
--          is_row    it is a row
--          event_id  the event it is, or the one the row comes from
--          ordinal   position of the row in its event; NULL for an event
-- param: prefix VARCHAR  first digits of an event id or row id
SELECT event_id AS id, FALSE AS is_row, event_id, NULL::INTEGER AS ordinal
FROM events ANTI JOIN repeated_places USING (hash) WHERE starts_with(event_id, $prefix)
UNION ALL
SELECT event_id, FALSE, event_id, NULL
FROM conflicts ANTI JOIN repeated_places USING (hash) WHERE starts_with(event_id, $prefix)
UNION ALL
SELECT row_id, TRUE, event_id, ordinal FROM rows WHERE starts_with(row_id, $prefix)
ORDER BY is_row, id
LIMIT 20
