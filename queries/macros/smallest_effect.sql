-- summary: mde, the smallest effect these runs could have shown: (t.975 + t.80) s sqrt(1/n + 1/m) with n + m - 2 degrees of freedom; for n pairs s / sqrt(n) with n - 1. In logarithms, for small effects a fraction.
-- columns: mde  DOUBLE; NULL without a spread or without a degree of freedom
-- param: s DOUBLE  pooled standard deviation of the logarithms, or that of the pair log ratios
-- param: n_a BIGINT  base runs, or pairs
-- param: n_b BIGINT  candidate runs, or pairs
-- param: paired BOOLEAN = FALSE  whether runs were interleaved
-- example: SELECT smallest_effect(0.005, 8, 8)
SELECT student_t(CASE WHEN paired THEN n_a - 1 ELSE n_a + n_b - 2 END)['power']
  * s
  * sqrt(1 / nullif(n_a, 0) + CASE WHEN paired THEN 0 ELSE 1 / nullif(n_b, 0) END)
