-- summary: Two independent series compared: the median of all pairwise log differences (candidate minus base) and its distribution-free 95 % interval. No interval below 4 runs a side; all NULL when a side has no logarithms.
-- columns: log_ratio  estimate of ln(candidate / base)
--          log_lo     lower end of the interval
--          log_hi     upper end
--          s          pooled standard deviation of the logarithms, NULL below three runs in all
--          n_a        base runs
--          n_b        candidate runs
-- param: base_logs DOUBLE[]  log_values of the base
-- param: candidate_logs DOUBLE[]  log_values of the candidate
-- example: SELECT hodges_lehmann(log_values([129.8, 129.2, 129.4, 129.1]), log_values([132.9, 132.7, 131.7, 132.0]))
SELECT {
    'log_ratio': list_median(diffs),
    'log_lo': diffs[k],
    'log_hi': diffs[len(diffs) + 1 - k],
    's': CASE
      WHEN runs_a > 0 AND runs_b > 0 AND runs_a + runs_b > 2
      THEN sqrt(
        (coalesce((runs_a - 1) * sd_a * sd_a, 0) + coalesce((runs_b - 1) * sd_b * sd_b, 0))
        / (runs_a + runs_b - 2)
      )
    END,
    'n_a': runs_a,
    'n_b': runs_b
  }
FROM (
  SELECT
    len(xs) AS runs_a,
    len(ys) AS runs_b,
    list_stddev_samp(xs) AS sd_a,
    list_stddev_samp(ys) AS sd_b,
    rank_bound(len(xs), len(ys)) AS k,
    list_sort(flatten(list_transform(ys, lambda y: list_transform(xs, lambda x: y - x)))) AS diffs
  FROM (SELECT base_logs::DOUBLE[] AS xs, candidate_logs::DOUBLE[] AS ys)
)
