-- summary: What is told about series of runs that came from outside a ledger, in their order.
-- grain: position
-- columns: position   place of the series, from 1
--          told       what macro series_summary says about it
--          stability  what macro series_stability says about it
-- param: series VARCHAR  JSON array of objects: samples, max_rel_spread
-- example: {"series": [{"samples": [100.0, 100.4]}, {"samples": [], "max_rel_spread": 0.1}]}
SELECT
  position,
  told,
  series_stability(told.count, told.rel_spread, one.max_rel_spread) AS stability
FROM (
  SELECT position, one, series_summary(one.samples) AS told
  FROM (
    SELECT unnest(given) AS one, generate_subscripts(given, 1) AS position
    FROM (
      SELECT from_json($series, '[{"samples": ["DOUBLE"], "max_rel_spread": "DOUBLE"}]') AS given
    )
  )
)
ORDER BY position
