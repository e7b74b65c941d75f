-- summary: Benjamini-Hochberg adjusted p of many comparisons: claiming what stays at or below q keeps the expected share of false claims at q. Missing p stay missing and are not counted.
-- columns: adjusted  DOUBLE[] in the order of the input
-- param: p_values DOUBLE[]  one p per comparison
-- example: SELECT benjamini_hochberg([0.01, 0.04, 0.03, NULL])
SELECT list(
    CASE WHEN p IS NOT NULL THEN least(1, stepped) END ORDER BY position
  )
FROM (
  SELECT
    position,
    p,
    -- The smallest of p * m / rank from this rank upwards.
    min(p * m / place) OVER (ORDER BY place DESC ROWS UNBOUNDED PRECEDING) AS stepped
  FROM (
    SELECT
      position,
      p,
      count(p) OVER () AS m,
      row_number() OVER (ORDER BY p NULLS LAST, position) AS place
    FROM (
      SELECT unnest(ps) AS p, generate_subscripts(ps, 1) AS position
      FROM (SELECT p_values::DOUBLE[] AS ps)
    )
  )
)
