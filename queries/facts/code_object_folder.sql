-- summary: What lay in the code-object folder of a run, so that a folder that only grew can be told from one that changed.
-- grain: event_id
-- columns: event_id  the run
--          digest    digest of the folder
--          entries   one text a file: relative path, a blank, md5
SELECT
    event_id,
    p.context.code_objects.digest AS digest,
    list_transform(p.context.code_objects.entries, lambda e: e[1] || ' ' || e[2]) AS entries
FROM _parsed
WHERE p.context.code_objects.digest IS NOT NULL AND p.context.code_objects.entries IS NOT NULL
