-- summary: How much runs of one series differ, per host, device and metric: what a change must exceed.
-- grain: host, arch, device_index, metric
-- columns: host          host
--          arch          GPU architecture
--          device_index  index of the device
--          metric        metric
--          series        series with at least 4 runs
--          runs          runs in them
--          sd_pct        pooled standard deviation of the logarithms, percent
--          worst_pct     largest (max - min) / median of one series, percent
-- param: host VARCHAR = NULL  only this host
-- param: metric VARCHAR = NULL  only this metric
-- param: limit INTEGER = 50  at most so many
-- example: atlas query noise-floor
WITH series AS (
    SELECT
        r.host,
        r.arch,
        r.device_index,
        r.metric,
        r.series_key,
        count(*) AS n,
        var_samp(ln(r.value)) AS variance,
        (max(r.value) - min(r.value)) / median(r.value) AS spread
    FROM rows r
    WHERE r.value > 0 AND r.status = 'ok' AND NOT r.profiled AND NOT r.contested
      AND NOT list_contains(r.tags, 'cold')
      AND ($host IS NULL OR r.host = $host)
      AND ($metric IS NULL OR r.metric = $metric)
    GROUP BY ALL
    HAVING count(DISTINCT r.run_key) >= 4
)
SELECT
    s.host,
    s.arch,
    s.device_index,
    s.metric,
    count(*) AS series,
    CAST(sum(s.n) AS BIGINT) AS runs,
    round(100 * sqrt(sum((s.n - 1) * s.variance) / sum(s.n - 1)), 3) AS sd_pct,
    round(100 * max(s.spread), 3) AS worst_pct
FROM series s
GROUP BY ALL
ORDER BY sd_pct DESC, s.host, s.arch, s.device_index, s.metric
LIMIT $limit
