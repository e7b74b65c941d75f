-- summary: One narrow line for each row: what one filters and orders by before looking at the rest.
-- grain: row_id
-- columns: row_id         identity of the row
--          event_id       its earliest event
--          ordinal        place of the row in its event
--          origin         stream of that event
--          seq            place of the event in its stream
--          recorded_us    when it was recorded, UTC microseconds
--          captured_us    when it was measured, UTC microseconds
--          host           host it was measured on
--          arch           GPU architecture
--          device_index   index of the device among the visible ones
--          phase          phase
--          quant          quantisation
--          workload       name of the workload
--          shape_bucket   shape of the work
--          git_sha        commit
--          status         ok, partial or quarantined
--          metric         headline metric
--          value          its value
--          tags           cold, BLINDSPOT, ar_baseline …
--          kernels        how many profiled kernels it has
--          profiled       tells where time goes, not how fast it is
--          row_key        the row's identity as a number
--          run_key        the process it comes from
--          workload_key   what must be equal to compare
--          treatment_key  what may differ
--          series_key     runs that belong together
WITH dead AS MATERIALIZED (  -- once for all three looks at the rows
    SELECT event_id FROM retracted
    UNION ALL
    SELECT event_id FROM superseded
),
live AS NOT MATERIALIZED (
    SELECT * FROM measurement ANTI JOIN dead USING (event_id)
),
doubled AS (
    SELECT row_key FROM live GROUP BY row_key HAVING count(*) > 1
),
later AS (
    SELECT event_id, ordinal
    FROM live SEMI JOIN doubled USING (row_key)
    QUALIFY row_number() OVER (PARTITION BY row_key ORDER BY recorded_us, event_id, ordinal) > 1
)
SELECT
    m.row_id,
    m.event_id,
    m.ordinal,
    m.origin,
    m.seq,
    m.recorded_us,
    m.captured_us,
    m.host,
    m.arch,
    m.device_index,
    m.phase,
    m.quant,
    m.workload,
    m.shape_bucket,
    m.git_sha,
    m.stated AS status,
    m.metric,
    m.value,
    m.tags,
    m.kernels,
    m.profiled,
    m.row_key,
    m.run_key,
    m.workload_key,
    m.treatment_key,
    m.series_key
FROM live m
ANTI JOIN later USING (event_id, ordinal)
