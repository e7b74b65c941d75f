-- summary: How much equal programs differ on a host, per device and metric: what a change must exceed. From A/A runs where there are any, else from the spread within series.
-- grain: host, arch, device_index, metric
-- columns: host           host
--          arch           GPU architecture
--          device_index   index of the device
--          metric         metric
--          sd_pct         standard deviation of a run's logarithm, percent: the A/A one, else the series' one
--          source         A/A or series
--          aa_pairs       A/A pairs
--          aa_sd_pct      standard deviation of runs in A/A comparisons, percent
--          aa_pair_sd_pct the same of a pair's log ratio, percent
--          series         series with at least 4 runs
--          runs           runs in them
--          series_sd_pct  pooled standard deviation of the logarithms within series, percent
--          worst_pct      largest (max - min) / median of one series, percent
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
    FROM row_heads r
    ANTI JOIN contested c ON c.event_id = r.event_id
    WHERE r.value > 0 AND r.status = 'ok' AND NOT r.profiled AND NOT list_contains(r.tags, 'cold')
    GROUP BY ALL
    HAVING count(DISTINCT r.run_key) >= 4
),
pooled AS (
    SELECT
        s.host,
        s.arch,
        s.device_index,
        s.metric,
        count(*) AS series,
        CAST(sum(s.n) AS BIGINT) AS runs,
        sqrt(sum((s.n - 1) * s.variance) / sum(s.n - 1)) AS sd,
        max(s.spread) AS worst
    FROM series s
    GROUP BY ALL
),
both_ways AS (
    SELECT
        coalesce(n.host, p.host) AS host,
        coalesce(n.arch, p.arch) AS arch,
        coalesce(n.device_index, p.device_index) AS device_index,
        coalesce(n.metric, p.metric) AS metric,
        n.s, n.s_paired, n.turns, p.series, p.runs, p.sd, p.worst
    FROM aa_noise n
    FULL JOIN pooled p
        ON p.host = n.host AND p.metric = n.metric
        AND p.arch IS NOT DISTINCT FROM n.arch
        AND p.device_index IS NOT DISTINCT FROM n.device_index
)
SELECT
    b.host,
    b.arch,
    b.device_index,
    b.metric,
    round(100 * coalesce(b.s, b.sd), 3) AS sd_pct,
    CASE WHEN b.s IS NOT NULL THEN 'A/A' ELSE 'series' END AS source,
    b.turns AS aa_pairs,
    round(100 * b.s, 3) AS aa_sd_pct,
    round(100 * b.s_paired, 3) AS aa_pair_sd_pct,
    b.series,
    b.runs,
    round(100 * b.sd, 3) AS series_sd_pct,
    round(100 * b.worst, 3) AS worst_pct
FROM both_ways b
WHERE ($host IS NULL OR b.host = $host)
  AND ($metric IS NULL OR b.metric = $metric)
ORDER BY sd_pct DESC, b.host, b.arch, b.device_index, b.metric
LIMIT $limit
