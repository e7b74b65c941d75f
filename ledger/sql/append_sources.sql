INSERT INTO sources
SELECT i.file_sha256, i.ordinal, i.adapter, i.event_id
FROM _incoming i SEMI JOIN _new USING (event_id)
WHERE i.file_sha256 IS NOT NULL AND i.ordinal IS NOT NULL AND i.adapter IS NOT NULL
