-- summary: Two-sided Monte Carlo permutation p of two series, only to be shown beside a verdict or corrected over many comparisons: it decides nothing. The statistic is the difference of mean logarithms, so ties do no harm. Unpaired: labels are shuffled; paired: the signs of the pair differences are flipped. The randomness is an integer hash of seed, round and position, equal on every machine and version.
-- columns: p  (1 + rounds at least as extreme) / (1 + rounds); NULL when a side has no logarithms or the pairs do not match
-- param: base_logs DOUBLE[]  log_values of the base, up to 4096 in both series together
-- param: candidate_logs DOUBLE[]  log_values of the candidate
-- param: paired BOOLEAN = FALSE  compare pair by pair
-- param: rounds INTEGER = 2000  shuffles
-- param: seed INTEGER = 1  from 0 to 65535
-- example: SELECT permutation_p(log_values([129.8, 129.2, 129.4, 129.1]), log_values([132.9, 132.7, 131.7, 132.0]))
SELECT CASE
    WHEN seen IS NOT NULL
    THEN (1 + len(list_filter(shuffled, lambda x: x >= seen - tolerance))) / (1 + len(shuffled))
  END
FROM (
  SELECT
    abs(list_sum(list_slice(pool, 1, taken))) AS seen,
    -- Sums of the same numbers in another order differ in the last bits and must count as equal.
    1e-12 * (1 + list_max(list_transform(pool, lambda x: abs(x)))) AS tolerance,
    list_transform(
      list_transform(
        range(draws),
        -- Three rounds of multiply and xor-shift on 32-bit numbers; products stay below 2^63.
        lambda r: list_transform(
          list_transform(
            list_transform(
              range(len(pool)),
              lambda i: (start + r * 8192 + i) % 4294967296 * 1597334677 % 4294967296
            ),
            lambda h: xor(h, h >> 15) * 2127912215 % 4294967296
          ),
          lambda h: xor(h, h >> 13) * 1540483477 % 4294967296
        )
      ),
      lambda keys: abs(list_sum(
        CASE
          WHEN by_pair
          THEN list_transform(
            pool, lambda x, i: CASE WHEN keys[i] < 2147483648 THEN x ELSE -x END
          )
          ELSE list_select(pool, list_slice(list_grade_up(keys), 1, taken))
        END
      ))
    ) AS shuffled
  FROM (
    SELECT
      by_pair,
      draws,
      start,
      len(xs) AS taken,
      CASE
        WHEN NOT by_pair
        THEN list_transform(list_concat(xs, ys), lambda x: x - centre)
        WHEN len(xs) = len(ys)
        THEN list_transform(range(1, len(xs) + 1), lambda i: ys[i] - xs[i])
      END AS pool
    FROM (
      SELECT *, list_avg(list_concat(xs, ys)) AS centre
      FROM (
        SELECT
          CASE WHEN len(candidate_logs::DOUBLE[]) > 0 THEN base_logs::DOUBLE[] END AS xs,
          CASE WHEN len(base_logs::DOUBLE[]) > 0 THEN candidate_logs::DOUBLE[] END AS ys,
          coalesce(paired, FALSE) AS by_pair,
          rounds::BIGINT AS draws,
          seed::BIGINT * 65537 AS start
      )
    )
  )
)
