-- summary: Earlier tries of levers: evals and A/Bs, what they were about and how they ended. Contested ones and those that rest on something retracted are left out.
-- grain: event_id
-- columns: event_id       the event
--          kind          eval or ab
--          recorded_us   when it was recorded, UTC microseconds
--          captured_us   when it was measured, UTC microseconds
--          task_id       task; NULL for A/Bs
--          arch          GPU architecture
--          workload      name of the workload
--          phase         phase
--          shape_bucket  shape of the work
--          quant         quantisation
--          kernel        hot kernel
--          lever         lever type
--          suggestion_id suggestion its task was cut from
--          history_key   what tries of the same lever are known by
--          env           variant variables
--          metric        metric
--          status        pass, fail, unstable or needs_baseline
--          verdict       rung of the ladder; NULL for older records
--          ratio         estimate, else ratio of medians; above 1 is better
--          has_samples   its runs are on record
--          rel_spread    (max - min) / median of the candidate
--          runs_needed   runs a side for an mde of the band
SELECT
    e.event_id, 'eval' AS kind, e.recorded_us, e.captured_us, e.task_id, e.arch, e.workload,
    e.phase, e.shape_bucket, e.quant, e.kernel, e.lever, e.suggestion_id, e.history_key,
    list_distinct(list_concat(e.env, coalesce(t.env, []))) AS env,
    e.metric, e.status, e.verdict,
    coalesce(e.ratio, e.speedup) AS ratio,
    len(e.samples) > 0 AND len(e.baseline_samples) > 0 AS has_samples,
    e.rel_spread, e.runs_needed
FROM evals e LEFT JOIN tasks t ON t.task_id = e.task_id
WHERE NOT e.contested AND len(e.retracted_parts) = 0
UNION ALL
SELECT
    event_id, 'ab', recorded_us, captured_us, NULL, arch, workload, phase, shape_bucket, quant,
    NULL, lever, NULL, NULL, list_distinct(list_concat(env_a, env_b)), metric, status, verdict,
    coalesce(ratio, lift), len(samples_a) > 0 AND len(samples_b) > 0, NULL, runs_needed
FROM ab_runs
WHERE NOT is_aa AND NOT contested AND len(retracted_parts) = 0
