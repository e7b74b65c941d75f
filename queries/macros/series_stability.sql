-- summary: Whether a series may be believed at all: unstable when (max - min) / median exceeds the bound, unknown for a single run, else stable.
-- columns: status          stable, unstable or unknown
--          max_rel_spread  the bound that was used, a fraction
--          rel_spread      (max - min) / median, a fraction
-- param: runs BIGINT  count of series_summary
-- param: rel_spread DOUBLE  rel_spread of series_summary
-- param: max_rel_spread DOUBLE = 0.20  largest spread that still counts as stable
-- example: SELECT series_stability(told.count, told.rel_spread) FROM (SELECT series_summary([129.8, 129.2]) AS told)
SELECT {
    'status': CASE
      WHEN runs IS NULL OR runs < 2 OR rel_spread IS NULL THEN 'unknown'
      WHEN rel_spread > coalesce(max_rel_spread, 0.20) THEN 'unstable'
      ELSE 'stable'
    END,
    'max_rel_spread': coalesce(max_rel_spread, 0.20)::DOUBLE,
    'rel_spread': rel_spread::DOUBLE
  }
