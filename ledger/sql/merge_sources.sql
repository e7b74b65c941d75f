INSERT INTO sources
SELECT source[1], TRY_CAST(source[2] AS BIGINT), source[3], event_id
FROM (
    SELECT
        event_id,
        TRY(json_extract_string(
            payload, ['$.source.file_sha256', '$.source.ordinal', '$.source.adapter']
        )) AS source
    FROM _arrived WHERE kind IN ('ingest', 'reparse')
)
WHERE source[1] IS NOT NULL AND TRY_CAST(source[2] AS BIGINT) IS NOT NULL AND source[3] IS NOT NULL
