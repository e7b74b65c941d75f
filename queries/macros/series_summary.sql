-- summary: What is told about one series of runs: count, centre and spread of its finite values, in the metric's unit. Nothing is trimmed.
-- columns: count       finite values
--          median      middle value (mean of the two middle ones)
--          mean        arithmetic mean
--          min         smallest
--          max         largest
--          stdev       sample standard deviation (n - 1), NULL below two
--          mad         median absolute deviation from the median, unscaled
--          rel_spread  (max - min) / median as a fraction, NULL unless the median is above 0
-- param: samples DOUBLE[]  one value per run
-- example: SELECT series_summary([129.8, 129.2, 129.4, 129.1])
SELECT {
    'count': len(vals),
    'median': middle,
    'mean': CASE WHEN isfinite(list_avg(vals)) THEN list_avg(vals) END,
    'min': list_min(vals),
    'max': list_max(vals),
    'stdev': CASE WHEN isfinite(spread) THEN spread END,
    'mad': list_median(list_transform(vals, lambda x: abs(x - middle))),
    'rel_spread': CASE WHEN middle > 0 THEN (list_max(vals) - list_min(vals)) / middle END
  }
FROM (
  SELECT vals, list_median(vals) AS middle, sample_sd(vals) AS spread
  FROM (
    SELECT list_filter(coalesce(samples::DOUBLE[], []::DOUBLE[]), lambda x: isfinite(x)) AS vals
  )
)
