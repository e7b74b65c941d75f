-- summary: Geometric mean of ratios over the common set: items that both sides have. Ratios that are missing, not finite or not above 0 are left out and counted.
-- columns: ratio     geometric mean, NULL when nothing is common
--          n         ratios it rests on
--          left_out  ratios it does not
-- param: ratios DOUBLE[]  one ratio per item, NULL where a side lacks it
-- example: SELECT geometric_mean([1.02, 0.99, NULL, 1.1])
SELECT {
    'ratio': exp(list_avg(logs)),
    'n': list_count(logs),
    'left_out': len(logs) - list_count(logs)
  }
FROM (
  SELECT list_transform(
      coalesce(ratios::DOUBLE[], []::DOUBLE[]),
      lambda x: ln(CASE WHEN isfinite(x) AND x > 0 THEN x END)
    ) AS logs
)
