-- summary: The smallest number of runs a side (or pairs) from 4 on whose smallest detectable effect is at most delta. Beyond the t table (n + m - 2 or n - 1 over 200) by the normal approximation.
-- columns: runs  BIGINT; NULL without a spread, without a delta above 0, or when it passes any sane number
-- param: s DOUBLE  pooled standard deviation of the logarithms, or that of the pair log ratios
-- param: delta DOUBLE = 0.01  effect that matters, a fraction
-- param: paired BOOLEAN = FALSE  whether runs are interleaved
-- example: SELECT runs_needed(0.005)
SELECT CASE
    WHEN isfinite(spread) AND spread >= 0 AND target > 0
    THEN coalesce(
      planned,
      CASE
        WHEN wanted < 1e15
        THEN greatest(ceil(wanted)::BIGINT, 200 // sides + 2)
      END
    )
  END
FROM (
  SELECT
    any_value(spread) AS spread,
    any_value(target) AS target,
    any_value(sides) AS sides,
    -- 1.959963984540054 + 0.8416212335729143: the normal t.975 + t.80
    any_value(sides * pow(2.8015852181129683 * spread / target, 2)) AS wanted,
    min(q.df // sides + 1) AS planned
  FROM (
    SELECT
      s::DOUBLE AS spread,
      delta::DOUBLE AS target,
      CASE WHEN coalesce(paired, FALSE) THEN 1 ELSE 2 END AS sides
  )
  LEFT JOIN t_quantile AS q
    ON q.df % sides = 0
    AND q.df // sides >= 3
    AND (q.t975 + q.t80) * spread * sqrt(sides / (q.df // sides + 1)) <= target
)
