-- summary: Blobs of raw output that events name.
-- grain: event_id, stream
-- columns: event_id  the event
--          stream    stdout, stderr, or log for an imported file
--          sha256    digest of the raw bytes
--          n_bytes   how many there are
WITH entry AS (
    SELECT event_id, unnest(map_entries(p.output)) AS o
    FROM _parsed
)
SELECT event_id, o.key AS stream, o.value.sha256 AS sha256, o.value.n_bytes AS n_bytes
FROM entry
WHERE o.value.sha256 IS NOT NULL
