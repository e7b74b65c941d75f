INSERT INTO sources
SELECT k.file_sha256, k.ordinal, k.adapter, k.event_id
FROM import_keys k SEMI JOIN chained USING (event_id)
