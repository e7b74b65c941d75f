-- summary: Which ISA and dispatch manifests a row names or carries.
-- kinds: collection, ingest, reparse
-- grain: event_id, ordinal, slot
-- columns: event_id   the event the row comes from
--          ordinal    position of the row within the event
--          slot       isa or dispatch
--          inline     the row carries it
--          named      event of the manifest
--          file_md5   digest of the manifest file, as the row states it, else as it was found at ingest
--          path       where the manifest file lay
--          given_md5  digest of a file that was given for rows that name nothing
WITH entry AS (
    SELECT
        event_id,
        unnest(list_transform(p.rows, lambda r: {
            isa: r.row.artifacts.isa, dispatch: r.row.artifacts.dispatch,
            manifests: r.manifests, given: r.given
        })) AS x,
        generate_subscripts(p.rows, 1) - 1 AS ordinal
    FROM _parsed
    WHERE kind IN ('collection', 'ingest', 'reparse')
),
slotted AS (
    SELECT
        event_id, ordinal,
        unnest([
            {
                slot: 'isa', told: x.isa, found: x.manifests.isa, given: x.given.isa,
                inline: json_type(x.isa, '$.manifest') = 'OBJECT'
            },
            {
                slot: 'dispatch', told: x.dispatch, found: x.manifests.dispatch,
                given: x.given.dispatch,
                inline: json_type(x.dispatch, '$.entries') = 'ARRAY'
                    OR json_type(x.dispatch, '$.manifest') = 'OBJECT'
            }
        ]) AS s
    FROM entry
)
SELECT
    event_id,
    CAST(ordinal AS INTEGER) AS ordinal,
    s.slot AS slot,
    coalesce(s.inline, FALSE) AS inline,
    s.told->>'$.manifest_event' AS named,
    lower(coalesce(nullif(s.told->>'$.manifest_md5', ''), s.found)) AS file_md5,
    s.told->>'$.manifest_path' AS path,
    s.given AS given_md5
FROM slotted
WHERE s.told IS NOT NULL OR s.given IS NOT NULL
