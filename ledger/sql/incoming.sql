-- Candidates for the chain, with the key of what they were imported from (NULL for observations made here).
CREATE OR REPLACE TEMP TABLE _incoming AS
SELECT
    c.*,
    CASE WHEN kind IN ('ingest', 'reparse') THEN payload->>'$.source.file_sha256' END AS file_sha256,
    CASE WHEN kind IN ('ingest', 'reparse') THEN TRY_CAST(payload->>'$.source.ordinal' AS BIGINT) END AS ordinal,
    CASE WHEN kind IN ('ingest', 'reparse') THEN payload->>'$.source.adapter' END AS adapter
FROM candidates c
