-- summary: Device images as events describe them: of one object, of an imported manifest, or of a manifest inside a row.
-- kinds: collection, ingest, reparse, isa_manifest, isa_object
-- grain: event_id, entry, image
-- columns: event_id       the event that holds the description
--          entry          row of the event it stands in; -1 when it is not in a row
--          image          position within the object or manifest, from 0
--          form           object, manifest or row
--          recorded_us    when the event was recorded, UTC microseconds
--          md5            digest of the object file; NULL when it is not told
--          path           where the object lay; NULL for facts of an object, which hold wherever it lies
--          producer       what read the object
--          table_version  opcode tables it was read with; NULL for other producers
--          schema_version form of the facts; NULL for other producers
--          container      elf, bundle, ccob_v2 …
--          arch           processor, such as gfx1100
--          target         processor with its features
--          kernel_count   kernels in it
--          instructions   instructions in it; padding included when another producer counted
--          mix            instructions by category, of the whole image
--          symbols        kernel symbols its summary names
--          problems       findings about it
WITH held AS (
    SELECT
        event_id, recorded_us, CAST(-1 AS INTEGER) AS entry,
        CASE kind WHEN 'isa_object' THEN 'object' ELSE 'manifest' END AS form,
        CASE kind WHEN 'isa_object' THEN body ELSE CAST(body->'$.document' AS VARCHAR) END AS told
    FROM _parsed
    WHERE kind IN ('isa_object', 'isa_manifest')
    UNION ALL
    SELECT event_id, recorded_us, CAST(ordinal - 1 AS INTEGER), 'row', CAST(told->'$.manifest' AS VARCHAR)
    FROM (
        SELECT
            event_id, recorded_us, unnest(list_transform(p.rows, lambda x: x.row.artifacts.isa)) AS told,
            generate_subscripts(p.rows, 1) AS ordinal
        FROM _parsed WHERE kind IN ('collection', 'ingest', 'reparse')
    )
    WHERE told IS NOT NULL
),
document AS (
    SELECT * EXCLUDE (told), from_json(told, '{
        "arch": "VARCHAR", "producer": {"name": "VARCHAR", "table_version": "VARCHAR"},
        "md5": "VARCHAR", "schema_version": "INTEGER", "table_version": "VARCHAR", "container": "VARCHAR",
        "images": [{
            "md5": "VARCHAR", "path": "VARCHAR", "container": "VARCHAR", "arch": "VARCHAR",
            "amdhsa_target": "VARCHAR", "bundle_target": "VARCHAR", "kernels": ["JSON"],
            "instruction_summary": {
                "instruction_count": "UINTEGER", "kernel_symbols": ["VARCHAR"],
                "category_counts": "MAP(VARCHAR, UINTEGER)"
            },
            "findings": ["JSON"], "tool_errors": ["JSON"]
        }],
        "objects": [{
            "md5": "VARCHAR", "path": "VARCHAR", "container": "VARCHAR", "arch": "VARCHAR",
            "amdhsa_target": "VARCHAR", "bundle_target": "VARCHAR", "kernels": ["JSON"],
            "instruction_summary": {
                "instruction_count": "UINTEGER", "kernel_symbols": ["VARCHAR"],
                "category_counts": "MAP(VARCHAR, UINTEGER)"
            },
            "findings": ["JSON"], "tool_errors": ["JSON"]
        }]
    }') AS d
    FROM held
),
image AS (
    SELECT
        * EXCLUDE (d), d.arch AS stated_arch, d.producer AS producer, d.md5 AS object_md5,
        d.schema_version AS schema_version, d.table_version AS table_version, d.container AS object_container,
        unnest(coalesce(d.images, d.objects)) AS i,
        generate_subscripts(coalesce(d.images, d.objects), 1) AS place
    FROM document
)
SELECT
    event_id,
    entry,
    CAST(place - 1 AS INTEGER) AS image,
    form,
    recorded_us,
    lower(nullif(coalesce(i.md5, object_md5), '')) AS md5,
    i.path AS path,
    CASE form WHEN 'object' THEN 'kernel-atlas' ELSE coalesce(producer.name, 'an older tool') END AS producer,
    coalesce(table_version, producer.table_version) AS table_version,
    schema_version,
    coalesce(i.container, object_container) AS container,
    nullif(regexp_extract(
        coalesce(nullif(i.arch, ''), nullif(i.amdhsa_target, ''), nullif(i.bundle_target, ''), stated_arch, ''),
        'gfx[0-9a-z]+(-[0-9]+)?(-generic)?'
    ), '') AS arch,
    nullif(regexp_extract(
        coalesce(nullif(i.amdhsa_target, ''), nullif(i.bundle_target, ''), i.arch, ''), 'gfx.*'
    ), '') AS target,
    CAST(coalesce(len(i.kernels), 0) AS INTEGER) AS kernel_count,
    CAST(coalesce(i.instruction_summary.instruction_count, 0) AS BIGINT) AS instructions,
    coalesce(map_from_entries(list_filter(
        map_entries(i.instruction_summary.category_counts), lambda c: c.value > 0
    )), MAP {}) AS mix,
    coalesce(i.instruction_summary.kernel_symbols, []) AS symbols,
    CAST(coalesce(len(i.findings), 0) + coalesce(len(i.tool_errors), 0) AS INTEGER) AS problems
FROM image
WHERE i IS NOT NULL
