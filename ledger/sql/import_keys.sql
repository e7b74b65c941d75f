-- What the candidates were imported from; observations made here have no such key.
CREATE OR REPLACE TEMP TABLE _import_keys AS
SELECT event_id, recorded_us, k[1] AS file_sha256, TRY_CAST(k[2] AS BIGINT) AS ordinal, k[3] AS adapter
FROM (
    SELECT
        event_id,
        recorded_us,
        json_extract_string(
            payload, ['$.source.file_sha256', '$.source.ordinal', '$.source.adapter']
        ) AS k
    FROM candidates
    WHERE kind <> 'collection'
)
WHERE k[1] IS NOT NULL AND k[3] IS NOT NULL
