-- summary: Runs worth a look: further from the median than 3 MAD and than 2 % of the median. They are flagged, never dropped.
-- columns: runs  BIGINT[], positions in the series from 1, ascending; empty when none
-- param: samples DOUBLE[]  one value per run
-- example: SELECT outlier_runs([100.0, 100.1, 100.2, 100.1, 91.0])
SELECT list_filter(
    range(1, len(vals) + 1),
    lambda x: abs(vals[x] - told.median) > 3 * told.mad
      AND abs(vals[x] - told.median) > 0.02 * abs(told.median)
  )
FROM (
  SELECT vals, series_summary(vals) AS told
  FROM (SELECT coalesce(samples::DOUBLE[], []::DOUBLE[]) AS vals)
)
