-- summary: What each lever brought so far, per target: tries, best and worst ratio, verdicts.
-- grain: arch, workload, phase, shape_bucket, quant, kernel, lever
-- columns: arch          GPU architecture
--          workload      name of the workload
--          phase         phase
--          shape_bucket  shape of the work
--          quant         quantisation
--          kernel        hot kernel
--          lever         lever type
--          tries         evals and A/Bs
--          best          best ratio of a stable try, above 1 is better
--          worst         worst ratio of a stable try
--          verdicts      verdicts, or the status of older records, each once
--          tasks         tasks
--          newest        when the newest was recorded, UTC
-- param: arch VARCHAR = NULL  only this architecture
-- param: lever VARCHAR = NULL  only this lever
-- param: limit INTEGER = 50  at most so many
-- example: atlas query levers --arch gfx1100
WITH tried AS (
    SELECT
        arch, workload, phase, shape_bucket, quant, kernel, lever, task_id, recorded_us,
        coalesce(ratio, speedup) AS ratio,
        coalesce(verdict, status) AS said
    FROM evals WHERE NOT contested AND len(retracted_parts) = 0
    UNION ALL
    SELECT
        arch, workload, phase, shape_bucket, quant, NULL, lever, NULL, recorded_us,
        coalesce(ratio, lift), coalesce(verdict, status)
    FROM ab_runs WHERE lever IS NOT NULL AND NOT contested AND len(retracted_parts) = 0
)
SELECT
    t.arch,
    t.workload,
    t.phase,
    t.shape_bucket,
    t.quant,
    t.kernel,
    t.lever,
    count(*) AS tries,
    max(t.ratio) FILTER (t.said <> 'unstable') AS best,
    min(t.ratio) FILTER (t.said <> 'unstable') AS worst,
    list_sort(list(DISTINCT t.said)) AS verdicts,
    list_sort(list(DISTINCT t.task_id) FILTER (t.task_id IS NOT NULL)) AS tasks,
    make_timestamp(max(t.recorded_us)) AS newest
FROM tried t
WHERE ($arch IS NULL OR t.arch = $arch) AND ($lever IS NULL OR t.lever = $lever)
GROUP BY t.arch, t.workload, t.phase, t.shape_bucket, t.quant, t.kernel, t.lever
ORDER BY newest DESC, t.arch, t.workload, t.phase, t.kernel, t.lever
LIMIT $limit
