-- summary: Which of the sorted pairwise differences bound a 95 % interval: the k-th smallest and the k-th largest. Exact for up to 64 runs a side, the normal approximation with continuity correction beyond, NULL below 4 a side.
-- columns: k  BIGINT, from 1
-- param: n_a BIGINT  runs of one side
-- param: n_b BIGINT  runs of the other
-- example: SELECT rank_bound(5, 5)
SELECT CASE
    WHEN least(runs_a, runs_b) < 4 THEN NULL
    WHEN greatest(runs_a, runs_b) <= 64 THEN r.k
    ELSE floor(
      runs_a * runs_b / 2 + 0.5
      - 1.959963984540054 * sqrt(runs_a * runs_b * (runs_a + runs_b + 1) / 12)
    )::BIGINT
  END
FROM (SELECT n_a::BIGINT AS runs_a, n_b::BIGINT AS runs_b)
LEFT JOIN rank_interval AS r ON r.n = runs_a AND r.m = runs_b
