-- summary: Events with kept raw output, and the version of the parser that read it last.
-- grain: event_id
-- columns: event_id        the event whose output it is
--          kind            collection or ingest
--          parser_version  newest version that read it; 0 when none did
--          payload         its payload
-- param: older_than INTEGER  only those that were last read by an older version
WITH read_last AS (
    SELECT coalesce(supersedes, event_id) AS event_id, max(parser_version) AS parser_version
    FROM recording GROUP BY ALL
)
SELECT e.event_id, e.kind, l.parser_version, e.payload
FROM (FROM events UNION ALL BY NAME FROM conflicts) e
ANTI JOIN repeated_places USING (hash)
JOIN read_last l USING (event_id)
WHERE e.kind IN ('collection', 'ingest')
  AND l.parser_version < $older_than
  AND e.event_id IN (SELECT event_id FROM output)
  AND e.event_id NOT IN (SELECT event_id FROM retracted)
ORDER BY e.origin, e.seq, e.event_id
