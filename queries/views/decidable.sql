-- summary: What stands in the way of a decision about one row or event.
-- grain: id
-- columns: id         the row or event
--          event_id   its event
--          status     ok, partial or quarantined; for an event without rows ok
--          git_state  clean, dirty or unknown
--          missing    what is missing for it to be measured evidence
--          standing   standing of the event
-- param: id VARCHAR  identity of the row or event
SELECT r.row_id AS id, r.event_id, r.status, r.git_state, r.missing, l.standing
FROM rows r JOIN event_log l USING (event_id)
WHERE r.row_id = $id
UNION ALL
SELECT
    l.event_id,
    l.event_id,
    'ok',
    coalesce((SELECT max(s.git_state) FROM samples s WHERE s.event_id = l.event_id), 'unknown'),
    [],
    l.standing
FROM event_log l
WHERE l.event_id = $id
