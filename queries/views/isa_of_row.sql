-- summary: Where the ISA facts of a measurement come from: its manifest, else its folder of code objects, else a file that was given. Never the newest of its architecture.
-- grain: row_id
-- columns: row_id          the row
--          arch            its architecture
--          set_id          the images, as in isa_members
--          found_by        manifest, code objects or given file
--          manifest_event  event of the manifest; NULL for a folder
-- param: row_id VARCHAR = NULL  only this row
WITH r AS MATERIALIZED (
    SELECT row_id, event_id, ordinal, arch, code_objects FROM rows WHERE $row_id IS NULL OR row_id = $row_id
),
named AS (
    SELECT r.row_id, r.arch, r.event_id, r.ordinal, m.inline, m.named, m.file_md5, m.given_md5
    FROM row_manifest m JOIN r USING (event_id, ordinal)
    WHERE m.slot = 'isa'
),
standing AS (
    SELECT event_id, entry, file_md5 FROM isa_manifest ANTI JOIN retracted USING (event_id)
),
by_file AS (
    SELECT file_md5, min(event_id) AS event_id FROM standing WHERE file_md5 IS NOT NULL GROUP BY file_md5
),
inspected AS (
    SELECT DISTINCT digest
    FROM (
        SELECT digest, unnest(entries) AS entry
        FROM code_object_sets SEMI JOIN r ON r.code_objects = digest
    )
    SEMI JOIN isa_object o ON o.md5 = right(entry, 32)
),
found AS (
    SELECT row_id, arch, event_id, ordinal AS entry, 1 AS rank, 'manifest' AS found_by
    FROM named WHERE inline
    UNION ALL
    SELECT n.row_id, n.arch, s.event_id, s.entry, 2, 'manifest'
    FROM named n JOIN standing s ON s.event_id = n.named AND s.entry = -1
    UNION ALL
    SELECT n.row_id, n.arch, f.event_id, -1, 3, 'manifest' FROM named n JOIN by_file f USING (file_md5)
    UNION ALL
    SELECT n.row_id, n.arch, f.event_id, -1, 5, 'given file'
    FROM named n JOIN by_file f ON f.file_md5 = n.given_md5
),
either AS (
    SELECT
        row_id, arch, 'manifest:' || event_id || ':' || entry AS set_id, found_by, rank,
        event_id AS manifest_event
    FROM found
    UNION ALL
    SELECT row_id, arch, 'folder:' || code_objects, 'code objects', 4, NULL
    FROM r SEMI JOIN inspected i ON i.digest = r.code_objects
)
SELECT row_id, arch, set_id, found_by, manifest_event
FROM either
QUALIFY row_number() OVER (PARTITION BY row_id ORDER BY rank, set_id) = 1
