-- summary: Sample standard deviation (n - 1) of a list; NULL below two values. Two passes: the built-in aggregate raises where this overflows to infinity.
-- columns: sd  DOUBLE in the unit of the values
-- param: samples DOUBLE[]  finite values
-- example: SELECT sample_sd([129.8, 129.2, 129.4, 129.1])
SELECT CASE
    WHEN len(vals) > 1
    THEN sqrt(list_sum(list_transform(vals, lambda x: (x - centre) * (x - centre))) / (len(vals) - 1))
  END
FROM (
  SELECT vals, list_avg(vals) AS centre
  FROM (SELECT samples::DOUBLE[] AS vals)
)
