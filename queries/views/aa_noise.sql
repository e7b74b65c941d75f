-- summary: How much a host differs from itself when nothing changes, from A/A runs: the floor under every standard deviation.
-- grain: host, arch, device_index, metric
-- columns: host          host
--          arch          GPU architecture; NULL for programs that print none
--          device_index  index of the device
--          metric        metric
--          runs          runs behind it
--          turns         pairs behind it
--          s             pooled standard deviation of the logarithms of single runs
--          s_paired      pooled standard deviation of pair log ratios; NULL below 2 pairs
--          sessions      A/A comparisons behind it
--          worst         largest distance of one pair from no change, as a fraction
WITH quiet AS (
    SELECT
        a.event_id, a.host, a.arch, a.device_index, a.metric,
        log_values(a.samples_a) AS logs_a,
        log_values(a.samples_b) AS logs_b
    FROM ab_runs a
    WHERE a.is_aa AND a.status = 'pass' AND NOT a.profiled AND NOT a.contested
      AND len(a.retracted_parts) = 0 AND a.verdict <> 'incomparable'
      AND len(a.samples_a) = len(a.samples_b)
),
paired AS (
    SELECT
        *,
        list_transform(range(1, len(logs_a) + 1), lambda i: logs_b[i] - logs_a[i]) AS ratios
    FROM quiet
    WHERE len(logs_a) >= 2 AND logs_b IS NOT NULL
),
told AS (
    SELECT
        *,
        len(ratios) AS n,
        list_var_samp(ratios) AS between_pairs,
        list_var_samp(logs_a) + list_var_samp(logs_b) AS within_sides,
        list_max(list_transform(ratios, lambda x: abs(x))) AS far
    FROM paired
)
SELECT
    host,
    arch,
    device_index,
    metric,
    CAST(sum(2 * n) AS BIGINT) AS runs,
    CAST(sum(n) AS BIGINT) AS turns,
    sqrt(sum((n - 1) * within_sides) / sum(2 * (n - 1))) AS s,
    sqrt(sum((n - 1) * between_pairs) / sum(n - 1)) AS s_paired,
    count(*) AS sessions,
    exp(max(far)) - 1 AS worst
FROM told
GROUP BY host, arch, device_index, metric
