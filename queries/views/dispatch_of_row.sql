-- summary: The dispatch manifest of a measurement: the one it carries or names, else the newest scan that was made for it, else a file that was given. Never the newest of its tree.
-- grain: row_id
-- columns: row_id          the row
--          manifest_event  event of the manifest
--          entry           row of that event that holds it; -1 when the event is the manifest
--          found_by        manifest, scan or given file
-- param: row_id VARCHAR = NULL  only this row
WITH named AS (
    SELECT r.row_id, r.event_id, r.ordinal, m.inline, m.named, m.file_md5, m.given_md5
    FROM row_manifest m JOIN rows r USING (event_id, ordinal)
    WHERE m.slot = 'dispatch' AND ($row_id IS NULL OR r.row_id = $row_id)
),
standing AS (
    SELECT event_id, any_value(file_md5) AS file_md5
    FROM dispatch_entry ANTI JOIN retracted USING (event_id)
    WHERE entry = -1
    GROUP BY event_id
),
by_file AS (
    SELECT file_md5, min(event_id) AS event_id FROM standing WHERE file_md5 IS NOT NULL GROUP BY file_md5
),
scanned AS (
    SELECT about, arg_max(event_id, {t: recorded_us, e: event_id}) AS event_id
    FROM dispatch_entry ANTI JOIN retracted USING (event_id)
    WHERE about IS NOT NULL
    GROUP BY about
),
found AS (
    SELECT row_id, event_id AS manifest_event, ordinal AS entry, 1 AS rank, 'manifest' AS found_by
    FROM named WHERE inline
    UNION ALL
    SELECT n.row_id, s.event_id, -1, 2, 'manifest' FROM named n JOIN standing s ON s.event_id = n.named
    UNION ALL
    SELECT n.row_id, f.event_id, -1, 3, 'manifest' FROM named n JOIN by_file f USING (file_md5)
    UNION ALL
    SELECT r.row_id, s.event_id, -1, 4, 'scan'
    FROM scanned s JOIN rows r ON r.row_id = s.about
    WHERE $row_id IS NULL OR r.row_id = $row_id
    UNION ALL
    SELECT n.row_id, f.event_id, -1, 5, 'given file' FROM named n JOIN by_file f ON f.file_md5 = n.given_md5
)
SELECT row_id, manifest_event, entry, found_by
FROM found
QUALIFY row_number() OVER (PARTITION BY row_id ORDER BY rank, manifest_event) = 1
