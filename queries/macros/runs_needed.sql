-- summary: The smallest number of runs a side (or pairs) from 4 on whose smallest detectable effect is at most delta. Where the degrees of freedom pass the t table, by the normal approximation.
-- columns: runs  BIGINT; NULL without a spread, without a delta above 0, or when it passes any sane number
-- param: s DOUBLE  pooled standard deviation of the logarithms, or that of the pair log ratios
-- param: delta DOUBLE = 0.01  effect that matters, a fraction
-- param: paired BOOLEAN = FALSE  whether runs are interleaved
-- example: SELECT runs_needed(0.005)
SELECT CASE
    WHEN isfinite(spread) AND spread >= 0 AND target > 0
    THEN coalesce(
      list_min(list_filter(plans, lambda q: q.scale * spread <= target))['n'],
      -- The first n whose degrees of freedom pass the table, at least.
      CASE WHEN wanted < 1e15 THEN greatest(ceil(wanted)::BIGINT, 200 // sides + 2) END
    )
  END
FROM (
  SELECT
    *,
    -- 2.80…: the normal t.975 + t.80
    sides * pow(2.8015852181129683 * spread / target, 2) AS wanted,
    CASE sides
      WHEN 1
      THEN (
        SELECT list({'n': df + 1, 'scale': (t975 + t80) * sqrt(1 / (df + 1))})
        FROM t_quantile
        WHERE df >= 3
      )
      ELSE (
        SELECT list({'n': df // 2 + 1, 'scale': (t975 + t80) * sqrt(2 / (df // 2 + 1))})
        FROM t_quantile
        WHERE df >= 6 AND df % 2 = 0
      )
    END AS plans
  FROM (
    SELECT
      s::DOUBLE AS spread,
      delta::DOUBLE AS target,
      CASE WHEN paired THEN 1 ELSE 2 END AS sides
  )
)
