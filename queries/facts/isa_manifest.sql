-- summary: ISA manifests: what was inspected together, and where its objects are described.
-- kinds: collection, ingest, reparse, isa_manifest
-- grain: event_id, entry
-- columns: event_id     the event
--          entry        row of the event that holds it; -1 when the event is the manifest
--          recorded_us  when it was recorded, UTC microseconds
--          file_md5     digest of the file it was imported from
--          captured_us  when the objects were inspected, UTC microseconds
--          arch         processor that was asked for
--          producer     what inspected them
--          members      objects that events of their own describe: path, md5, chosen images; empty when the manifest holds them itself
WITH held AS (
    SELECT
        event_id, recorded_us, CAST(-1 AS INTEGER) AS entry, body->>'$.source.file_md5' AS file_md5,
        coalesce(body->'$.document', body->'$.manifest') AS told
    FROM _parsed
    WHERE kind = 'isa_manifest'
    UNION ALL
    SELECT event_id, recorded_us, CAST(ordinal - 1 AS INTEGER), NULL, told->'$.manifest'
    FROM (
        SELECT
            event_id, recorded_us, unnest(list_transform(p.rows, lambda x: x.row.artifacts.isa)) AS told,
            generate_subscripts(p.rows, 1) AS ordinal
        FROM _parsed WHERE kind IN ('collection', 'ingest', 'reparse')
    )
    WHERE json_type(told, '$.manifest') = 'OBJECT'
),
document AS (
    SELECT * EXCLUDE (told), from_json(told, '{
        "captured_at_utc": "VARCHAR", "arch": "VARCHAR", "producer": {"name": "VARCHAR"},
        "members": [{"path": "VARCHAR", "md5": "VARCHAR", "images": ["INTEGER"]}]
    }') AS d
    FROM held
)
SELECT
    event_id,
    entry,
    recorded_us,
    lower(file_md5) AS file_md5,
    epoch_us(TRY_CAST(d.captured_at_utc AS TIMESTAMP)) AS captured_us,
    nullif(d.arch, '') AS arch,
    coalesce(d.producer.name, 'an older tool') AS producer,
    coalesce(d.members, []) AS members
FROM document
