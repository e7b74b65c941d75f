-- summary: Kernels that rocprof saw and the engine's own profile did not.
-- kinds: collection, ingest, reparse
-- grain: event_id, ordinal, position
-- columns: event_id   the event the coverage comes from
--          ordinal    position of the row within the event
--          position   position of the kernel within the list, from 0
--          kernel     name of the kernel
--          calls      launches
--          total_ms   time in all launches, milliseconds
--          pct        share of rocprof's total, percent
WITH entry AS (
    SELECT e.event_id, unnest(e.p.rows) AS x, generate_subscripts(e.p.rows, 1) - 1 AS ordinal
    FROM _parsed e
    WHERE e.kind IN ('collection', 'ingest', 'reparse')
),
kernel AS (
    SELECT
        event_id,
        CAST(ordinal AS INTEGER) AS ordinal,
        unnest(x.row.artifacts.blindspot_kernels) AS k,
        generate_subscripts(x.row.artifacts.blindspot_kernels, 1) - 1 AS position
    FROM entry
)
SELECT
    event_id,
    ordinal,
    CAST(position AS INTEGER) AS position,
    k.name AS kernel,
    k.calls AS calls,
    k.total_ms AS total_ms,
    k.pct AS pct
FROM kernel
WHERE k.name IS NOT NULL
