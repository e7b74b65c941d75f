-- summary: How much a host differs from itself when nothing changes, from A/A runs: the floor under every standard deviation.
-- grain: host, arch, device_index, metric
-- columns: host          host
--          arch          GPU architecture
--          device_index  index of the device
--          metric        metric
--          runs          runs behind it
--          turns         pairs or blocks behind it
--          s             pooled standard deviation of the logarithms
--          s_paired      standard deviation of pair (block) log ratios; NULL below 2
WITH quiet AS (
    SELECT host, arch, device_index, metric, session, arm, turn, ln(value) AS x
    FROM samples
    WHERE is_aa AND value > 0 AND NOT cold AND NOT profiled
),
spread AS (
    SELECT host, arch, device_index, metric, session, count(*) AS n, var_samp(x) AS variance
    FROM quiet GROUP BY ALL
),
turns AS (
    SELECT
        host, arch, device_index, metric, session, turn,
        avg(x) FILTER (arm = 'b') - avg(x) FILTER (arm = 'a') AS difference
    FROM quiet WHERE turn IS NOT NULL GROUP BY ALL
),
paired AS (
    SELECT
        host, arch, device_index, metric,
        count(difference) AS turns,
        stddev_samp(difference) AS s_paired
    FROM turns GROUP BY ALL
)
SELECT
    s.host,
    s.arch,
    s.device_index,
    s.metric,
    CAST(sum(s.n) AS BIGINT) AS runs,
    coalesce(any_value(p.turns), 0) AS turns,
    sqrt(sum((s.n - 1) * s.variance) / nullif(sum(s.n - 1), 0)) AS s,
    any_value(p.s_paired) AS s_paired
FROM spread s
LEFT JOIN paired p
    ON p.host = s.host AND p.metric = s.metric AND p.arch IS NOT DISTINCT FROM s.arch
    AND p.device_index IS NOT DISTINCT FROM s.device_index
GROUP BY s.host, s.arch, s.device_index, s.metric
