-- summary: v0 rows as they were recorded or came in, error records included, each once, in chain order.
-- grain: event_id, ordinal
-- columns: event_id  the event
--          ordinal   position within it
--          row       the v0 row, canonical JSON
WITH entry AS (
    SELECT
        e.event_id, e.origin, e.seq,
        unnest(TRY_CAST(e.payload->'$.rows' AS JSON[])) AS x,
        generate_subscripts(TRY_CAST(e.payload->'$.rows' AS JSON[]), 1) - 1 AS ordinal
    FROM (FROM events UNION ALL BY NAME FROM conflicts) e
    ANTI JOIN repeated_places USING (hash)
    WHERE e.kind IN ('collection', 'ingest', 'reparse')
      AND e.event_id NOT IN (SELECT event_id FROM retracted)
      AND e.event_id NOT IN (SELECT event_id FROM superseded)
)
SELECT event_id, CAST(ordinal AS INTEGER) AS ordinal, CAST(x->'$.row' AS VARCHAR) AS row
FROM entry
WHERE json_type(x->'$.row') = 'OBJECT'
QUALIFY row_number() OVER (
    PARTITION BY coalesce(nullif(x->>'$.row_id', ''), event_id || ':' || ordinal) ORDER BY origin, seq, event_id, ordinal
) = 1
ORDER BY origin, seq, event_id, ordinal
