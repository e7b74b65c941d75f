INSERT INTO sources
SELECT k.file_sha256, k.ordinal, k.adapter, k.event_id
FROM _import_keys k SEMI JOIN chained USING (event_id)
WHERE k.ordinal IS NOT NULL
