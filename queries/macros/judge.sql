-- summary: The whole comparison of two series of runs: estimate, 95 % interval, spread, what the runs could have shown, and the verdict. Above 1 is always better. Arguments may be columns; aggregates belong in a subquery below the call. With fields in `incomparable` no ratio is given at all.
-- columns: verdict         the rung of the ladder, see verdict_of
--          reason          why that rung, in words; NULL where the interval speaks for itself
--          ratio           candidate / base, inverted for minimize
--          lo              lower end of the interval, NULL below 4 runs a side
--          hi              upper end
--          n_a             base runs
--          n_b             candidate runs
--          delta           half width of the band of no interest, a fraction
--          mde             smallest effect these runs could have shown, a fraction
--          runs_needed     runs a side (pairs, blocks) for an mde of at most delta
--          s               standard deviation behind mde, of logarithms, floored by the known noise
--          paired          whether runs were compared pair by pair
--          median_a        median of the base, in the metric's unit
--          median_b        median of the candidate
--          rel_spread_a    (max - min) / median of the base
--          rel_spread_b    the same of the candidate
--          stability_a     stable, unstable or unknown
--          stability_b     the same of the candidate
--          outliers_a      positions of flagged base runs, from 1
--          outliers_b      positions of flagged candidate runs
--          incomparable    fields that forbid the comparison
-- param: base DOUBLE[]  the baseline's runs, one value per process
-- param: candidate DOUBLE[]  the candidate's runs; with paired in the same order
-- param: goal VARCHAR = 'maximize'  or minimize
-- param: delta DOUBLE = 0.01  smallest relative change of interest; what is no finite number from 0 up counts as 0.01
-- param: paired BOOLEAN = FALSE  runs of both sides took turns
-- param: block INTEGER = 1  with paired: runs of one side in a block (2 for ABBA)
-- param: floor_s DOUBLE = NULL  noise known from A/A runs: sd of logarithms, with paired of pair (block) log ratios
-- param: max_rel_spread DOUBLE = 0.20  a side that spreads further is unstable
-- param: incomparable VARCHAR[] = NULL  fields that differ or are unknown
-- param: identical BOOLEAN = FALSE  same binary, objects, command and environment under factor code
-- param: incorrect BOOLEAN = FALSE  a correctness result failed
-- param: weak BOOLEAN = FALSE  the baseline was accepted with too few runs
-- example: SELECT judge([129.8, 129.2, 129.4, 129.1], [132.9, 132.7, 131.7, 132.0])
SELECT {
    'verdict': verdict,
    'reason': CASE verdict
      WHEN 'incomparable' THEN array_to_string(fields, ', ')
      WHEN 'identical_binary' THEN 'binary, code objects, command and environment are equal'
      WHEN 'incorrect' THEN 'a correctness result failed'
      WHEN 'unstable' THEN format(
        'spread {:.2f} and {:.2f} of the median, bound {:.2f}',
        coalesce(steady_a.rel_spread, 0), coalesce(steady_b.rel_spread, 0), steady_a.max_rel_spread
      )
      WHEN 'insufficient' THEN CASE
        WHEN sign IS NULL THEN 'the goal must be maximize or minimize'
        WHEN logs_a IS NULL OR logs_b IS NULL
        THEN 'a side has no runs, or a value that is missing, not finite or not above 0'
        WHEN by_pair AND est.n_a IS NULL
        THEN format('{} and {} runs do not make whole pairs', len(xs), len(ys))
        WHEN est.log_lo IS NOT NULL THEN 'the baseline is weak: it was accepted with fewer than 4 runs'
        WHEN by_pair THEN format('{} pairs, at least 4 are needed', est.n_a)
        ELSE format('{} and {} runs, at least 4 a side are needed', est.n_a, est.n_b)
      END
      WHEN 'inconclusive' THEN CASE
        WHEN needed > greatest(est.n_a, est.n_b) THEN format(
          'the interval leaves the band on one side at least; about {} {} would settle {:.3g} %',
          needed, CASE WHEN by_pair THEN 'pairs' ELSE 'runs a side' END, 100 * band
        )
        ELSE 'the interval leaves the band on one side at least'
      END
    END,
    'ratio': exp(est.log_ratio * sign),
    'lo': exp(lo),
    'hi': exp(hi),
    'n_a': len(xs),
    'n_b': len(ys),
    'delta': band,
    'mde': smallest_effect(est['s'], est['n_a'], est['n_b'], by_pair),
    'runs_needed': needed,
    's': est.s,
    'paired': by_pair,
    'median_a': told_a.median,
    'median_b': told_b.median,
    'rel_spread_a': told_a.rel_spread,
    'rel_spread_b': told_b.rel_spread,
    'stability_a': steady_a.status,
    'stability_b': steady_b.status,
    'outliers_a': told_a.outliers,
    'outliers_b': told_b.outliers,
    'incomparable': fields
  }
FROM (
  SELECT
    *,
    verdict_of(
      lo, hi, band,
      incomparable := fields,
      identical := is_identical,
      incorrect := is_incorrect,
      -- A value that is no measurement has no spread either: that side is insufficient.
      unstable := (steady_a.status = 'unstable' AND logs_a IS NOT NULL)
        OR (steady_b.status = 'unstable' AND logs_b IS NOT NULL),
      weak := is_weak
    ) AS verdict,
    runs_needed(est.s, band, by_pair) AS needed
  FROM (
    SELECT
      *,
      CASE WHEN sign > 0 THEN est.log_lo WHEN sign < 0 THEN -est.log_hi END AS lo,
      CASE WHEN sign > 0 THEN est.log_hi WHEN sign < 0 THEN -est.log_lo END AS hi
    FROM (
      SELECT
        *,
        CASE WHEN by_pair
          THEN paired_ratio(pair_a, pair_b, noise)
          ELSE struct_update(free, s := greatest(free.s, noise))
        END AS est
      FROM (
        SELECT
          *,
          series_stability(told_a['count'], told_a.rel_spread, bound) AS steady_a,
          series_stability(told_b['count'], told_b.rel_spread, bound) AS steady_b,
          -- Only the wanted estimate costs anything: the other one sees NULL.
          hodges_lehmann(
            CASE WHEN NOT by_pair AND may_compare THEN logs_a END,
            CASE WHEN NOT by_pair AND may_compare THEN logs_b END
          ) AS free,
          CASE WHEN by_pair AND may_compare THEN block_logs(logs_a, size) END AS pair_a,
          CASE WHEN by_pair AND may_compare THEN block_logs(logs_b, size) END AS pair_b
        FROM (
          SELECT
            *,
            len(fields) = 0 AS may_compare,
            log_values(xs) AS logs_a,
            log_values(ys) AS logs_b,
            series_summary(xs) AS told_a,
            series_summary(ys) AS told_b
          FROM (
            SELECT
              coalesce(base::DOUBLE[], []::DOUBLE[]) AS xs,
              coalesce(candidate::DOUBLE[], []::DOUBLE[]) AS ys,
              CASE coalesce(goal, 'maximize') WHEN 'maximize' THEN 1 WHEN 'minimize' THEN -1 END AS sign,
              CASE WHEN isfinite(delta::DOUBLE) AND delta >= 0 THEN delta ELSE 0.01 END::DOUBLE AS band,
              coalesce(paired, FALSE) AS by_pair,
              block AS size,
              CASE WHEN isfinite(floor_s::DOUBLE) AND floor_s >= 0 THEN floor_s::DOUBLE END AS noise,
              coalesce(max_rel_spread, 0.20)::DOUBLE AS bound,
              coalesce(incomparable::VARCHAR[], []::VARCHAR[]) AS fields,
              identical AS is_identical,
              incorrect AS is_incorrect,
              weak AS is_weak
          )
        )
      )
    )
  )
)
