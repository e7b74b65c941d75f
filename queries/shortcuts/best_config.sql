-- summary: The configuration with the best median of each target, among stable repeated series. A discovery: the best of many needs fresh runs to confirm it.
-- grain: host, arch, device_index, workload, phase, quant, shape_bucket, model, prompt_md5, metric
-- columns: host          host
--          arch          GPU architecture
--          device_index  index of the device
--          workload      name of the workload
--          phase         phase
--          quant         quantisation
--          shape_bucket  shape of the work
--          model         digest of the model, else its path
--          prompt_md5    digest of the prompt
--          metric        metric
--          median        median of the best series
--          spread_pct    its (max - min) / median, percent
--          runs          its runs
--          kv_mode       its KV cache mode
--          env           its variables
--          git_sha       its commit, shortened
--          binary_md5    its program
--          ahead_pct     how far its median is ahead of the next configuration's, percent
--          among         configurations it is the best of
--          row_id        its newest row
-- param: arch VARCHAR = NULL  only this architecture
-- param: phase VARCHAR = NULL  only this phase
-- param: quant VARCHAR = NULL  only this quantisation
-- param: min_runs INTEGER = 4  runs a series needs
-- param: limit INTEGER = 50  at most so many
-- example: atlas query best-config --arch gfx1100
WITH series AS (
    SELECT
        r.host, r.arch, r.device_index, r.workload, r.phase, r.quant, r.shape_bucket,
        coalesce(r.model_md5, r.model_path) AS model, r.prompt_md5, r.metric, r.kv_mode, r.env,
        r.git_sha, r.diff_md5, r.binary_md5, r.series_key,
        metric_rule_of(r.metric).goal AS goal,
        median(r.value) AS middle,
        (max(r.value) - min(r.value)) / median(r.value) AS spread,
        count(*) AS runs,
        arg_max(r.row_id, {t: r.recorded_us, r: r.row_id}) AS row_id
    FROM rows r
    WHERE r.status = 'ok' AND r.value > 0 AND NOT r.profiled AND NOT r.contested
      AND NOT list_contains(r.tags, 'cold')
      AND ($arch IS NULL OR r.arch = $arch)
      AND ($phase IS NULL OR r.phase = $phase)
      AND ($quant IS NULL OR r.quant = $quant)
    GROUP BY ALL
    HAVING count(DISTINCT r.run_key) >= $min_runs
),
config AS (
    SELECT
        host, arch, device_index, workload, phase, quant, shape_bucket, model, prompt_md5, metric,
        kv_mode, env, git_sha, diff_md5, binary_md5, goal,
        arg_max(
            {middle: middle, spread: spread, runs: runs, row_id: row_id},
            {m: CASE goal WHEN 'minimize' THEN -middle ELSE middle END, r: row_id}
        ) AS best
    FROM series
    WHERE spread <= 0.20
    GROUP BY ALL
),
ranked AS (
    SELECT
        *,
        CASE goal WHEN 'minimize' THEN -best.middle ELSE best.middle END AS merit,
        row_number() OVER target AS rank,
        lead(best.middle) OVER target AS next_middle,
        count(*) OVER (PARTITION BY
            host, arch, device_index, workload, phase, quant, shape_bucket, model, prompt_md5, metric
        ) AS among
    FROM config
    WINDOW target AS (
        PARTITION BY
            host, arch, device_index, workload, phase, quant, shape_bucket, model, prompt_md5, metric
        ORDER BY CASE goal WHEN 'minimize' THEN best.middle ELSE -best.middle END, best.row_id
    )
)
SELECT
    host,
    arch,
    device_index,
    workload,
    phase,
    quant,
    shape_bucket,
    model,
    prompt_md5,
    metric,
    best.middle AS median,
    round(100 * best.spread, 3) AS spread_pct,
    best.runs AS runs,
    kv_mode,
    env,
    git_sha[:10] AS git_sha,
    binary_md5,
    round(100 * abs(best.middle / next_middle - 1), 3) AS ahead_pct,
    among,
    best.row_id AS row_id
FROM ranked
WHERE rank = 1
ORDER BY host, arch, device_index, workload, phase, quant, shape_bucket, model, prompt_md5, metric
LIMIT $limit
