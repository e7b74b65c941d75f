-- Candidates for the chain, with the key of what they were imported from (NULL for observations made here).
-- The two kinds that are only made here are left out because their payloads are large.
CREATE OR REPLACE TEMP TABLE _incoming AS
SELECT
    c.*,
    CASE WHEN kind NOT IN ('collection', 'isa_object') THEN payload->>'$.source.file_sha256' END AS file_sha256,
    CASE WHEN kind NOT IN ('collection', 'isa_object') THEN TRY_CAST(payload->>'$.source.ordinal' AS BIGINT) END AS ordinal,
    CASE WHEN kind NOT IN ('collection', 'isa_object') THEN payload->>'$.source.adapter' END AS adapter
FROM candidates c
