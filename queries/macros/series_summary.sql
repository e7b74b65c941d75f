-- summary: What is told about one series of runs: count, centre, spread and odd runs of its finite values, in the metric's unit. Nothing is trimmed: outliers are positions to look at, they stay in every number.
-- columns: count       finite values
--          median      middle value (mean of the two middle ones)
--          mean        arithmetic mean
--          min         smallest
--          max         largest
--          stdev       sample standard deviation (n - 1), NULL below two
--          mad         median absolute deviation from the median, unscaled
--          rel_spread  (max - min) / median as a fraction, NULL unless the median is above 0
--          outliers    BIGINT[], positions from 1 of runs further from the median than 3 MAD and than 2 % of it
-- param: samples DOUBLE[]  one value per run
-- example: SELECT series_summary([129.8, 129.2, 129.4, 129.1])
SELECT {
    'count': len(vals),
    'median': middle,
    'mean': CASE WHEN isfinite(centre) THEN centre END,
    'min': list_min(vals),
    'max': list_max(vals),
    'stdev': CASE WHEN isfinite(spread) THEN spread END,
    'mad': mad,
    'rel_spread': CASE WHEN middle > 0 THEN (list_max(vals) - list_min(vals)) / middle END,
    'outliers': list_filter(
      range(1, len(runs) + 1),
      lambda x: abs(runs[x] - middle) > 3 * mad AND abs(runs[x] - middle) > 0.02 * abs(middle)
    )
  }
FROM (
  SELECT
    *,
    list_median(list_transform(vals, lambda x: abs(x - middle))) AS mad,
    -- In two passes: the built-in aggregate raises where squares overflow.
    CASE
      WHEN len(vals) > 1
      THEN sqrt(
        list_sum(list_transform(vals, lambda x: (x - centre) * (x - centre))) / (len(vals) - 1)
      )
    END AS spread
  FROM (
    SELECT *, list_median(vals) AS middle, list_avg(vals) AS centre
    FROM (
      SELECT runs, list_filter(runs, lambda x: isfinite(x)) AS vals
      FROM (SELECT coalesce(samples::DOUBLE[], []::DOUBLE[]) AS runs)
    )
  )
)
