-- summary: Natural logarithms of a series in its order; NULL for the whole series when it is empty or any value is missing, not finite or not above 0, so that a bad value can never turn into an estimate.
-- columns: logs  DOUBLE[], one logarithm per run, or NULL
-- param: samples DOUBLE[]  one value per run
-- example: SELECT log_values([129.8, 129.2, 129.4, 129.1])
SELECT CASE
    WHEN len(samples) > 0
      AND len(list_filter(samples::DOUBLE[], lambda x: isfinite(x) AND x > 0)) = len(samples)
    THEN list_transform(
      samples::DOUBLE[], lambda x: ln(CASE WHEN isfinite(x) AND x > 0 THEN x END)
    )
  END
