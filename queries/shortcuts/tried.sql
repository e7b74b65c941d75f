-- summary: What was tried and what came of it: evals of tasks and A/B runs, newest first.
-- grain: event_id
-- columns: event_id  the eval or A/B
--          measured  when, UTC
--          what      task id, graph A/B, A/B or A/A
--          kernel    hot kernel
--          lever     lever type
--          arch      GPU architecture
--          phase     phase
--          quant     quantisation
--          status    pass, fail, unstable or needs_baseline
--          metric    metric
--          value     median of the candidate
--          base      median of what it was compared with
--          verdict   rung of the ladder; `reference` for older records that tell only a ratio
--          ratio     estimate, or the ratio of medians where there is none; above 1 is better
--          lo        lower end of the 95 % interval
--          hi        upper end
--          runs      measured runs of the candidate
--          correct   all correctness commands passed; empty: perf-only
--          remark    what weakens it: parts taken back, out of bounds, no correctness
-- param: task_id VARCHAR = NULL  only this task (a prefix is enough)
-- param: kernel VARCHAR = NULL  only kernels whose name contains this
-- param: lever VARCHAR = NULL  only this lever
-- param: arch VARCHAR = NULL  only this architecture
-- param: limit INTEGER = 50  at most so many
-- example: atlas query tried --arch gfx1100
WITH attempt AS (
    SELECT
        e.event_id, e.captured_us, e.recorded_us, e.task_id AS what, e.task_id, e.kernel, e.lever,
        e.arch, e.phase, e.quant, e.status, e.metric, e.value, e.baseline_value AS base, e.verdict,
        coalesce(e.ratio, CASE WHEN e.verdict IS NULL THEN e.speedup END) AS ratio, e.lo, e.hi,
        coalesce(e.runs, len(e.samples)) AS runs, e.correct, e.retracted_parts, e.contested,
        e.bounds
    FROM evals e
    UNION ALL BY NAME
    SELECT
        a.event_id, a.captured_us, a.recorded_us,
        CASE WHEN a.is_graph THEN 'graph A/B' WHEN a.is_aa THEN 'A/A' ELSE 'A/B ' || a.factor END
            AS what,
        a.lever, a.arch, a.phase, a.quant, a.status, a.metric, a.value_b AS value, a.value_a AS base,
        a.verdict, coalesce(a.ratio, CASE WHEN a.verdict IS NULL THEN a.lift END) AS ratio, a.lo,
        a.hi, CAST(len(a.samples_b) AS BIGINT) AS runs, a.correct, a.retracted_parts, a.contested
    FROM ab_runs a
)
SELECT
    t.event_id,
    make_timestamp(coalesce(t.captured_us, t.recorded_us)) AS measured,
    t.what,
    t.kernel,
    t.lever,
    t.arch,
    t.phase,
    t.quant,
    t.status,
    t.metric,
    t.value,
    t.base,
    coalesce(t.verdict, CASE WHEN t.ratio IS NOT NULL THEN 'reference' END) AS verdict,
    t.ratio,
    t.lo,
    t.hi,
    t.runs,
    t.correct,
    array_to_string(list_filter([
        CASE WHEN len(t.retracted_parts) > 0 THEN 'parts taken back' END,
        CASE WHEN t.contested THEN 'contested' END,
        CASE WHEN t.bounds IN ('violated', 'allowed out of bounds') THEN 'out of bounds' END,
        CASE WHEN t.correct IS NULL THEN 'perf-only' END
    ], lambda r: r IS NOT NULL), ', ') AS remark
FROM attempt t
WHERE ($task_id IS NULL OR starts_with(t.task_id, $task_id))
  AND ($kernel IS NULL OR contains(t.kernel, $kernel))
  AND ($lever IS NULL OR t.lever = $lever)
  AND ($arch IS NULL OR t.arch = $arch)
ORDER BY measured DESC, t.event_id
LIMIT $limit
