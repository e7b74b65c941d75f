-- summary: How far equal programs lie apart on a host, from A/A pairs: the floor below which no difference counts.
-- grain: host, arch, device_index, visible, metric
-- columns: host          host
--          arch          GPU architecture; NULL for programs that print none
--          device_index  index of the device
--          visible       visibility variables
--          metric        metric
--          sessions      A/A comparisons
--          pairs         pairs in them
--          sd_pair       pooled standard deviation of the pairs' log ratios
--          sd_run        the same for a single run: sd_pair / sqrt(2)
--          worst         largest distance of one pair from no change, as a fraction
WITH paired AS (
    SELECT
        a.host, a.arch, a.device_index, a.visible, a.metric,
        list_transform(
            range(1, least(len(a.samples_a), len(a.samples_b)) + 1),
            lambda i: CASE WHEN a.samples_a[i] > 0 AND a.samples_b[i] > 0
                THEN ln(a.samples_b[i] / a.samples_a[i]) END
        ) AS logs
    FROM ab_runs a
    WHERE a.is_aa AND a.status = 'pass' AND NOT a.profiled AND NOT a.contested
      AND len(a.retracted_parts) = 0
      AND a.verdict <> 'incomparable'
),
told AS (
    SELECT
        *, len(logs) AS n, list_var_samp(logs) AS variance,
        list_max(list_transform(logs, lambda x: abs(x))) AS far
    FROM paired
    WHERE len(logs) >= 2 AND NOT list_contains(list_transform(logs, lambda x: x IS NULL), TRUE)
)
SELECT
    host, arch, device_index, visible, metric,
    count(*) AS sessions,
    CAST(sum(n) AS BIGINT) AS pairs,
    sqrt(sum((n - 1) * variance) / sum(n - 1)) AS sd_pair,
    sqrt(sum((n - 1) * variance) / sum(n - 1) / 2) AS sd_run,
    exp(max(far)) - 1 AS worst
FROM told
GROUP BY ALL
