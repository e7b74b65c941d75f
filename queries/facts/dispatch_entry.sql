-- summary: Places in a source tree that mention a kernel, as dispatch manifests and rows tell them.
-- kinds: collection, ingest, reparse, dispatch_manifest
-- grain: event_id, entry, position
-- columns: event_id      the event
--          entry         row of the event that holds it; -1 when the event is the manifest
--          position      position within the manifest, from 0
--          recorded_us   when the event was recorded, UTC microseconds
--          file_md5      digest of the file the manifest was imported from
--          about         row whose kernels were searched for
--          root          tree that was searched
--          arch          architecture whose files rank first
--          kernel        name
--          op            operation the manifest gives it
--          variants      spellings that were searched for
--          sources       files that may hold its source, best first: path, md5, score
--          refs          lines that mention it, best first: path, line, text, kind, score
--          env_controls  variables that may decide whether it is dispatched
WITH held AS (
    SELECT
        event_id, recorded_us, CAST(-1 AS INTEGER) AS entry, body->>'$.source.file_md5' AS file_md5,
        body->>'$.about' AS about, body->'$.document' AS told
    FROM _parsed
    WHERE kind = 'dispatch_manifest'
    UNION ALL
    SELECT
        event_id, recorded_us, CAST(ordinal - 1 AS INTEGER), NULL, NULL,
        coalesce(
            CASE WHEN json_type(told, '$.manifest') = 'OBJECT'
                THEN told->'$.manifest' END,
            told
        )
    FROM (
        SELECT
            event_id, recorded_us, unnest(list_transform(p.rows, lambda x: x.row.artifacts.dispatch)) AS told,
            generate_subscripts(p.rows, 1) AS ordinal
        FROM _parsed WHERE kind IN ('collection', 'ingest', 'reparse')
    )
    WHERE told IS NOT NULL
),
document AS (
    SELECT * EXCLUDE (told), from_json(told, '{
        "root": "VARCHAR", "arch": "VARCHAR",
        "entries": [{
            "name": "VARCHAR", "arch": "VARCHAR",
            "op": {"family": "VARCHAR", "role": "VARCHAR", "phase_hint": "VARCHAR"},
            "name_variants": ["VARCHAR"], "env_controls": ["VARCHAR"],
            "source_files": [{"path": "VARCHAR", "md5": "VARCHAR", "match_score": "BIGINT"}],
            "dispatch_refs": [{
                "path": "VARCHAR", "line": "BIGINT", "text": "VARCHAR", "kind": "VARCHAR",
                "match_score": "BIGINT"
            }]
        }]
    }') AS d
    FROM held
),
entry AS (
    SELECT
        * EXCLUDE (d), d.root AS root, d.arch AS stated_arch, unnest(d.entries) AS e,
        generate_subscripts(d.entries, 1) AS place
    FROM document
)
SELECT
    event_id,
    entry,
    CAST(place - 1 AS INTEGER) AS position,
    recorded_us,
    lower(file_md5) AS file_md5,
    about,
    root,
    nullif(coalesce(e.arch, stated_arch), '') AS arch,
    e.name AS kernel,
    CASE WHEN e.op.family IS NOT NULL THEN e.op END AS op,
    coalesce(e.name_variants, []) AS variants,
    list_filter(coalesce(e.source_files, []), lambda s: s.path IS NOT NULL) AS sources,
    list_filter(coalesce(e.dispatch_refs, []), lambda s: s.path IS NOT NULL) AS refs,
    list_filter(coalesce(e.env_controls, []), lambda s: s IS NOT NULL) AS env_controls
FROM entry
WHERE e.name IS NOT NULL
