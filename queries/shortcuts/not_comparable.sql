-- summary: Measurements that look alike and may not be compared: which field differs or is unknown.
-- grain: row_a, row_b, field
-- columns: row_a         newest row of the earlier series
--          row_b         newest row of the later series
--          measured      when the later was measured, UTC
--          workload      name of the workload
--          phase         phase
--          quant         quantisation
--          shape_bucket  shape of the work
--          metric        metric
--          field         field that forbids the comparison
--          state         differs, unknown or mixed
--          a             its value in the earlier
--          b             its value in the later
-- param: workload VARCHAR = NULL  only this workload
-- param: phase VARCHAR = NULL  only this phase
-- param: limit INTEGER = 50  at most so many
-- example: atlas query not-comparable
SELECT
    n.ids_a[-1] AS row_a,
    n.ids_b[-1] AS row_b,
    make_timestamp(n.at_us) AS measured,
    n.workload,
    n.phase,
    n.quant,
    n.shape_bucket,
    n.metric,
    f.field,
    f.state,
    f.a,
    f.b
FROM near_misses n
CROSS JOIN LATERAL (SELECT unnest(n.fields, recursive := true)) f
WHERE ($workload IS NULL OR n.workload = $workload) AND ($phase IS NULL OR n.phase = $phase)
ORDER BY n.at_us DESC, row_b, f.field
LIMIT $limit
