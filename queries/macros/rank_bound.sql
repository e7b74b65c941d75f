-- summary: Which of the sorted pairwise differences bound a 95 % interval: the k-th smallest and the k-th largest. Exact for up to 64 runs a side, the normal approximation with continuity correction beyond, NULL below 4 a side.
-- columns: k  BIGINT, from 1
-- param: n_a BIGINT  runs of one side
-- param: n_b BIGINT  runs of the other
-- example: SELECT rank_bound(5, 5)
SELECT CASE
    WHEN n_a < 4 OR n_b < 4 THEN NULL
    WHEN n_a <= 64 AND n_b <= 64
    THEN (SELECT list(k ORDER BY n, m) FROM rank_interval)[(n_a - 1) * 64 + n_b]
    ELSE floor(
      n_a::DOUBLE * n_b / 2 + 0.5
      - 1.959963984540054 * sqrt(n_a::DOUBLE * n_b * (n_a + n_b + 1) / 12)
    )::BIGINT
  END
