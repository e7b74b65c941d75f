-- summary: Folders of code objects that programs loaded from, by their digest, with the digest of every file.
-- grain: event_id
-- columns: event_id  the event of the run
--          digest    digest of the folder
--          members   path within the folder and md5 of each file
SELECT
    event_id,
    p.context.code_objects.digest AS digest,
    list_transform(p.context.code_objects.entries, lambda e: {path: e[1], md5: e[2]}) AS members
FROM _parsed
WHERE kind IN ('collection', 'ingest', 'reparse')
  AND p.context.code_objects.digest IS NOT NULL
  AND len(p.context.code_objects.entries) > 0
