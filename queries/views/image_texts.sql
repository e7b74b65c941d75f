-- summary: Device images of a build as they were recorded: of a row, of a manifest event, or of a folder of code objects.
-- grain: event_id, entry, image
-- columns: event_id   the event that describes the image
--          entry      row of the event it stands in
--          image      position within the object or manifest
--          path       where the object lay
--          md5        digest of the object file
--          container  elf, bundle …
--          told       the image as recorded, JSON
-- param: row_id VARCHAR = NULL  images of this row
-- param: event_id VARCHAR = NULL  images of this manifest
WITH sets AS (
    SELECT set_id FROM isa_of_row($row_id) WHERE $row_id IS NOT NULL
    UNION ALL
    SELECT 'manifest:' || $event_id || ':-1' WHERE $event_id IS NOT NULL
)
SELECT
    o.event_id, o.entry, o.image, m.path, o.md5, o.container,
    json_extract(e.payload, CASE o.form
        WHEN 'object' THEN '$.images[' || o.image || ']'
        WHEN 'manifest' THEN '$.document.objects[' || o.image || ']'
        ELSE '$.rows[' || o.entry || '].row.artifacts.isa.manifest.objects[' || o.image || ']'
    END) AS told
FROM sets s
JOIN isa_members m USING (set_id)
JOIN isa_objects o ON o.event_id = m.event_id AND o.entry = m.entry AND o.image = m.image
JOIN (FROM events UNION ALL BY NAME FROM conflicts) e ON e.event_id = o.event_id
ANTI JOIN repeated_places p ON p.hash = e.hash
ORDER BY m.path, o.md5, o.image
