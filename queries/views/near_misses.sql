-- summary: Neighbouring series that look alike (workload name, phase, quant, shape, metric) and may not be compared, with the fields that forbid it.
-- grain: pair
-- columns: pair          the two series
--          at_us         when the later was measured, UTC microseconds
--          workload      name of the workload
--          phase         phase
--          quant         quantisation
--          shape_bucket  shape of the work
--          metric        metric
--          fields        what forbids the comparison: {field, state, a, b}
--          ids_a         rows and events of the earlier
--          ids_b         rows and events of the later
WITH neighbour AS (
    SELECT
        s.series_id,
        s.at_us,
        s.ids,
        s.sample_ids,
        lag(s.series_id) OVER alike AS before,
        lag(s.ids) OVER alike AS ids_before,
        lag(s.sample_ids) OVER alike AS samples_before
    FROM series s
    WHERE s.kind = 'row'
    WINDOW alike AS (
        PARTITION BY s.workload, s.phase, s.quant, s.shape_bucket, s.metric
        ORDER BY s.at_us, s.series_id
    )
),
faced AS (
    SELECT before || '>' || series_id AS pair, * FROM neighbour WHERE before IS NOT NULL
),
judged AS (
    FROM compared(_members := (
        SELECT CAST(to_json(list({pair: x.pair, side: x.side, id: x.id})) AS VARCHAR)
        FROM (
            SELECT f.pair, t.side, unnest(CASE t.side WHEN 'a' THEN f.samples_before ELSE f.sample_ids END) AS id
            FROM faced f CROSS JOIN (VALUES ('a'), ('b')) t (side)
        ) x
    ))
)
SELECT
    j.pair,
    f.at_us,
    j.workload,
    j.phase,
    j.quant,
    j.shape_bucket,
    j.metric,
    j.fields,
    f.ids_before AS ids_a,
    f.ids AS ids_b
FROM judged j JOIN faced f USING (pair)
WHERE j.verdict = 'incomparable'
