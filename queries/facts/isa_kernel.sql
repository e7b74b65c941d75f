-- summary: Kernels of the device images that events describe, with their registers, memory and instruction mix.
-- kinds: collection, ingest, reparse, isa_manifest, isa_object
-- grain: event_id, entry, image, position
-- columns: event_id      the event that holds the description
--          entry         row of the event it stands in; -1 when it is not in a row
--          image         image within the object or manifest
--          position      kernel within the image, from 0
--          kernel        name
--          symbol        symbol of its descriptor
--          symbols       names its instruction summary gives it
--          vgpr          vector registers; on unified register files accumulation registers are in it
--          agpr          accumulation registers
--          sgpr          scalar registers
--          vgpr_spills   spilled vector registers
--          sgpr_spills   spilled scalar registers
--          lds           bytes of local memory
--          scratch       bytes of private memory per work item
--          workgroup     largest workgroup
--          wavefront     lanes of a wave
--          code_bytes    size of its code
--          code          digest of its code
--          instructions  instructions, padding left out; NULL when they were not counted per kernel
--          has_mix       instructions were counted per kernel
--          mix           instructions by category
--          loops         innermost loops
WITH held AS (
    SELECT
        event_id, CAST(-1 AS INTEGER) AS entry,
        CASE kind WHEN 'isa_object' THEN body ELSE CAST(body->'$.document' AS VARCHAR) END AS told
    FROM _parsed
    WHERE kind IN ('isa_object', 'isa_manifest')
    UNION ALL
    SELECT event_id, CAST(ordinal - 1 AS INTEGER), CAST(told->'$.manifest' AS VARCHAR)
    FROM (
        SELECT
            event_id, unnest(list_transform(p.rows, lambda x: x.row.artifacts.isa)) AS told,
            generate_subscripts(p.rows, 1) AS ordinal
        FROM _parsed WHERE kind IN ('collection', 'ingest', 'reparse')
    )
    WHERE told IS NOT NULL
),
document AS (
    SELECT
        * EXCLUDE (told),
        from_json(told, '{"images": [{"kernels": ["JSON"]}], "objects": [{"kernels": ["JSON"]}]}') AS d
    FROM held
),
image AS (
    SELECT
        event_id, entry, unnest(coalesce(d.images, d.objects)) AS i,
        generate_subscripts(coalesce(d.images, d.objects), 1) AS image
    FROM document
),
told AS (
    SELECT event_id, entry, image, unnest(i.kernels) AS text, generate_subscripts(i.kernels, 1) AS position
    FROM image
),
kernel AS (
    SELECT * EXCLUDE (text), from_json(text, '{
        "name": "VARCHAR", "symbol": "VARCHAR",
        "vgpr_count": "UINTEGER", "agpr_count": "UINTEGER", "sgpr_count": "UINTEGER",
        "vgpr_spill_count": "UINTEGER", "sgpr_spill_count": "UINTEGER",
        "group_segment_fixed_size": "UINTEGER", "private_segment_fixed_size": "UINTEGER",
        "max_flat_workgroup_size": "UINTEGER", "wavefront_size": "UINTEGER",
        "code_bytes": "UINTEGER", "code_sha256": "VARCHAR", "loops": ["JSON"],
        "instruction_summary": {
            "instruction_count": "UINTEGER", "kernel_symbols": ["VARCHAR"],
            "category_counts": "MAP(VARCHAR, UINTEGER)"
        }
    }') AS k
    FROM told
    WHERE json_type(text) = 'OBJECT'
)
SELECT
    event_id,
    entry,
    CAST(image - 1 AS INTEGER) AS image,
    CAST(position - 1 AS INTEGER) AS position,
    coalesce(k.name, k.symbol) AS kernel,
    k.symbol AS symbol,
    coalesce(k.instruction_summary.kernel_symbols, []) AS symbols,
    CAST(k.vgpr_count AS BIGINT) AS vgpr,
    CAST(k.agpr_count AS BIGINT) AS agpr,
    CAST(k.sgpr_count AS BIGINT) AS sgpr,
    CAST(k.vgpr_spill_count AS BIGINT) AS vgpr_spills,
    CAST(k.sgpr_spill_count AS BIGINT) AS sgpr_spills,
    CAST(k.group_segment_fixed_size AS BIGINT) AS lds,
    CAST(k.private_segment_fixed_size AS BIGINT) AS scratch,
    CAST(k.max_flat_workgroup_size AS BIGINT) AS workgroup,
    CAST(k.wavefront_size AS BIGINT) AS wavefront,
    CAST(k.code_bytes AS BIGINT) AS code_bytes,
    k.code_sha256 AS code,
    CAST(k.instruction_summary.instruction_count AS BIGINT) AS instructions,
    k.instruction_summary.category_counts IS NOT NULL AS has_mix,
    coalesce(map_from_entries(list_filter(
        map_entries(k.instruction_summary.category_counts), lambda c: c.value > 0
    )), MAP {}) AS mix,
    CAST(coalesce(len(k.loops), 0) AS INTEGER) AS loops
FROM kernel
WHERE coalesce(k.name, k.symbol) IS NOT NULL
