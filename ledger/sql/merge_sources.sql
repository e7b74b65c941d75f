INSERT INTO sources
SELECT file_sha256, ordinal, adapter, event_id
FROM (
    SELECT
        event_id,
        payload->>'$.source.file_sha256' AS file_sha256,
        TRY_CAST(payload->>'$.source.ordinal' AS BIGINT) AS ordinal,
        payload->>'$.source.adapter' AS adapter
    FROM _arrived WHERE kind IN ('ingest', 'reparse') AND json_valid(payload)
)
WHERE file_sha256 IS NOT NULL AND ordinal IS NOT NULL AND adapter IS NOT NULL
