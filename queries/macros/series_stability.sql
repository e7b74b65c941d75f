-- summary: Whether a series may be believed at all: unstable when (max - min) / median exceeds the bound, unknown for a single run, else stable.
-- columns: status          stable, unstable or unknown
--          max_rel_spread  the bound that was used, a fraction
--          rel_spread      (max - min) / median, a fraction
-- param: samples DOUBLE[]  one value per run
-- param: max_rel_spread DOUBLE = 0.20  largest spread that still counts as stable
-- example: SELECT series_stability([129.8, 129.2, 129.4, 129.1])
SELECT {
    'status': CASE
      WHEN told.count < 2 OR told.rel_spread IS NULL THEN 'unknown'
      WHEN told.rel_spread > bound THEN 'unstable'
      ELSE 'stable'
    END,
    'max_rel_spread': bound,
    'rel_spread': told.rel_spread
  }
FROM (
  SELECT series_summary(samples) AS told, coalesce(max_rel_spread, 0.20)::DOUBLE AS bound
)
