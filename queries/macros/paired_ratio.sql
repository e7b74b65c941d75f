-- summary: Two interleaved series compared pair by pair: mean log difference (candidate minus base) with a 95 % t interval. No interval below 4 pairs; all NULL unless both sides have equally many values.
-- columns: log_ratio  estimate of ln(candidate / base)
--          log_lo     lower end of the interval
--          log_hi     upper end
--          s          standard deviation of the pair differences, not below the floor
--          n_a        pairs
--          n_b        pairs
-- param: base_logs DOUBLE[]  logarithms of the base, one per pair (block_logs for ABBA)
-- param: candidate_logs DOUBLE[]  logarithms of the candidate in the same order
-- param: floor_s DOUBLE = NULL  noise of pair log ratios known from A/A runs of this host
-- example: SELECT paired_ratio(log_values([10, 11, 10, 11]), log_values([10.4, 11.3, 10.3, 11.5]))
SELECT {
    'log_ratio': centre,
    'log_lo': centre - half,
    'log_hi': centre + half,
    's': spread,
    'n_a': pairs,
    'n_b': pairs
  }
FROM (
  SELECT
    pairs,
    centre,
    spread,
    CASE WHEN pairs >= 4 THEN student_t(pairs - 1).t975 * spread / sqrt(pairs) END AS half
  FROM (
    SELECT
      len(diffs) AS pairs,
      list_avg(diffs) AS centre,
      greatest(list_stddev_samp(diffs), noise) AS spread
    FROM (
      SELECT
        noise,
        CASE
          WHEN len(xs) > 0 AND len(xs) = len(ys)
          THEN list_transform(range(1, len(xs) + 1), lambda x: ys[x] - xs[x])
        END AS diffs
      FROM (
        SELECT
          base_logs::DOUBLE[] AS xs,
          candidate_logs::DOUBLE[] AS ys,
          CASE WHEN isfinite(floor_s::DOUBLE) AND floor_s >= 0 THEN floor_s::DOUBLE END AS noise
      )
    )
  )
)
