-- summary: Kernels of the profile tables that measurements carry.
-- kinds: collection, ingest, reparse
-- grain: event_id, ordinal, position
-- columns: event_id   the event the profile comes from
--          ordinal    position of the row within the event
--          position   position of the kernel within the table, from 0
--          kernel     name of the kernel
--          calls      launches
--          total_ms   time in all launches, milliseconds
--          avg_us     time per launch, microseconds
--          pct        share of the profile's total, percent, as printed
--          gib_s      bandwidth, GiB/s, as printed
--          stored_op  {family, role, phase_hint} that the row's producer stored; NULL if none
WITH entry AS (
    SELECT e.event_id, unnest(e.p.rows) AS x, generate_subscripts(e.p.rows, 1) - 1 AS ordinal
    FROM _parsed e
    WHERE e.kind IN ('collection', 'ingest', 'reparse')
),
kernel AS (
    SELECT
        event_id,
        CAST(ordinal AS INTEGER) AS ordinal,
        unnest(x.row.artifacts.profile_kernels) AS k,
        generate_subscripts(x.row.artifacts.profile_kernels, 1) - 1 AS position
    FROM entry
)
SELECT
    event_id,
    ordinal,
    CAST(position AS INTEGER) AS position,
    k.name AS kernel,
    k.calls AS calls,
    k.total_ms AS total_ms,
    k.avg_us AS avg_us,
    k.pct AS pct,
    k.gib_s AS gib_s,
    CASE WHEN k.op.family IS NOT NULL THEN k.op END AS stored_op
FROM kernel
WHERE k.name IS NOT NULL
