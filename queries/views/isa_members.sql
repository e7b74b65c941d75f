-- summary: Which device images belong together: those of a manifest, and those of a folder of code objects.
-- grain: set_id, event_id, entry, image
-- columns: set_id    manifest:EVENT:ENTRY, or folder:DIGEST
--          event_id  the event that describes the image
--          entry     row of the event it stands in
--          image     position within the object or manifest
--          path      where the object lay in this set
WITH listed AS (
    SELECT event_id, entry, unnest(members) AS m
    FROM isa_manifest ANTI JOIN retracted USING (event_id)
),
filed AS (
    SELECT digest, right(entry, 32) AS md5, left(entry, greatest(length(entry) - 33, 0)) AS path
    FROM (SELECT digest, unnest(entries) AS entry FROM code_object_sets)
)
SELECT DISTINCT ON (set_id, event_id, entry, image) set_id, event_id, entry, image, path
FROM (
    SELECT 'manifest:' || l.event_id || ':' || l.entry AS set_id, o.event_id, o.entry, o.image, l.m.path AS path
    FROM listed l
    JOIN isa_objects o ON o.form = 'object' AND o.md5 = lower(l.m.md5)
        AND (l.m.images IS NULL OR list_contains(l.m.images, o.image))
    UNION ALL
    SELECT 'manifest:' || event_id || ':' || entry, event_id, entry, image, path
    FROM isa_objects WHERE form <> 'object'
    UNION ALL
    SELECT 'folder:' || f.digest, o.event_id, o.entry, o.image, f.path
    FROM filed f JOIN isa_objects o ON o.form = 'object' AND o.md5 = f.md5
)
ORDER BY set_id, event_id, entry, image, path
