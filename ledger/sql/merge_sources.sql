INSERT INTO sources
WITH named AS MATERIALIZED (  -- parsed once, not for each condition below
    SELECT
        event_id,
        TRY(from_json(payload, '{"source": {
            "file_sha256": "VARCHAR", "ordinal": "BIGINT", "adapter": "VARCHAR"
        }}')).source AS s
    FROM _arrived WHERE kind IN ('ingest', 'reparse')
)
SELECT s.file_sha256, s.ordinal, s.adapter, event_id
FROM named
WHERE s.file_sha256 IS NOT NULL AND s.ordinal IS NOT NULL AND s.adapter IS NOT NULL
