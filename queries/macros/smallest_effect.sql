-- summary: mde, the smallest effect these runs could have shown: (t.975 + t.80) s sqrt(1/n + 1/m) with n + m - 2 degrees of freedom; for n pairs s / sqrt(n) with n - 1. In logarithms, for small effects a fraction.
-- columns: mde  DOUBLE; NULL without a spread or without a degree of freedom
-- param: s DOUBLE  pooled standard deviation of the logarithms, or that of the pair log ratios
-- param: n_a BIGINT  base runs, or pairs
-- param: n_b BIGINT  candidate runs, or pairs
-- param: paired BOOLEAN = FALSE  whether runs were interleaved
-- example: SELECT smallest_effect(0.005, 8, 8)
SELECT CASE
    WHEN by_pair THEN (t.t975 + t.t80) * spread * sqrt(1 / runs_a)
    ELSE (t.t975 + t.t80) * spread * sqrt(1 / runs_a + 1 / runs_b)
  END
FROM (
  SELECT
    spread,
    by_pair,
    runs_a,
    runs_b,
    student_t(CASE WHEN by_pair THEN runs_a - 1 ELSE runs_a + runs_b - 2 END) AS t
  FROM (
    SELECT
      s::DOUBLE AS spread,
      nullif(n_a::BIGINT, 0) AS runs_a,
      nullif(n_b::BIGINT, 0) AS runs_b,
      coalesce(paired, FALSE) AS by_pair
  )
)
