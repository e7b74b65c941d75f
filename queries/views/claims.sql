-- summary: Claims: evals and A/Bs whose verdict is faster or slower, older records with a speed-up other than 1, and promotion candidates, each with what puts it at risk.
-- grain: event_id
-- columns: event_id     the event that claims
--          kind         eval, ab or promotion
--          recorded_us  when it was recorded, UTC microseconds
--          host         host
--          about        task, command or row it is about
--          metric       metric
--          verdict      its verdict; NULL for older records and promotions
--          ratio        what is claimed, above 1 is better
--          n_a          runs of the base
--          n_b          runs of the candidate
--          faults       what it must not be: reasons in words
--          notes        what weakens it: reasons in words
WITH gone AS (
    SELECT coalesce(list(event_id), []) AS ids FROM retracted
),
tries AS (
    SELECT arch, workload, phase, shape_bucket, quant, metric, count(DISTINCT event_id) AS n
    FROM evals GROUP BY ALL
),
of_eval AS (
    SELECT
        e.*,
        b.stability AS base_stability,
        b.profiled AS base_profiled,
        b.git_state AS base_state,
        t.n AS tries,
        coalesce(e.verdict IN ('faster', 'faster_small'), e.speedup > 1) AS wins,
        EXISTS (
            SELECT 1 FROM evals o
            WHERE o.task_id = e.task_id AND o.event_id <> e.event_id
              AND o.session IS DISTINCT FROM e.session AND o.recorded_us > e.recorded_us
              AND o.binary_md5 IS NOT DISTINCT FROM e.binary_md5
              AND o.verdict IN ('faster', 'faster_small')
        ) AS confirmed
    FROM evals e
    LEFT JOIN baseline_made b ON b.event_id = e.baseline_source
    LEFT JOIN tries t
        ON t.metric = e.metric AND t.arch IS NOT DISTINCT FROM e.arch
        AND t.workload IS NOT DISTINCT FROM e.workload AND t.phase IS NOT DISTINCT FROM e.phase
        AND t.shape_bucket IS NOT DISTINCT FROM e.shape_bucket
        AND t.quant IS NOT DISTINCT FROM e.quant
    WHERE e.verdict IN ('faster', 'slower', 'faster_small', 'slower_small')
       OR e.verdict IS NULL AND e.speedup <> 1
),
of_row AS (
    SELECT unnest(ids) AS id, n, stability, profiled, cold FROM series WHERE kind = 'row'
),
told AS (
    SELECT
        event_id, 'eval' AS kind, recorded_us, host, task_id AS about, metric, verdict,
        coalesce(ratio, speedup) AS ratio,
        nullif(len(baseline_samples), 0) AS n_a,
        coalesce(nullif(len(samples), 0), runs) AS n_b,
        [
            CASE WHEN coalesce(least(len(baseline_samples), coalesce(nullif(len(samples), 0), runs)), 0) < 4
                THEN 'fewer than 4 runs a side are on record' END,
            CASE WHEN stability = 'unstable' OR base_stability = 'unstable' THEN 'a side is unstable' END,
            CASE WHEN profiled OR base_profiled THEN 'a side was profiled: launches are serialised' END,
            CASE WHEN grade = 'hosts' THEN 'the sides come from different hosts' END,
            CASE WHEN len(retracted_parts) > 0 THEN 'it rests on something that was retracted' END,
            CASE WHEN correct = FALSE THEN 'a correctness command failed' END,
            CASE WHEN contested THEN 'it comes from a forked origin' END
        ] AS faults,
        [
            CASE WHEN base_state = 'dirty' THEN 'the baseline comes from a dirty worktree' END,
            CASE WHEN git_state = 'dirty' THEN 'the candidate comes from a dirty worktree' END,
            CASE WHEN correct IS NULL THEN 'perf-only: no correctness result' END,
            CASE WHEN wins AND tries > 1 AND NOT confirmed
                THEN format('found among {} tries on this target, no fresh runs confirm it', tries) END
        ] AS notes
    FROM of_eval
    UNION ALL
    SELECT
        event_id, 'ab', recorded_us, host, coalesce(factor, 'commands'), metric, verdict,
        coalesce(ratio, lift), len(samples_a), len(samples_b),
        [
            CASE WHEN least(len(samples_a), len(samples_b)) < 4
                THEN 'fewer than 4 runs a side are on record' END,
            CASE WHEN status = 'unstable' THEN 'a side is unstable' END,
            CASE WHEN profiled THEN 'a side was profiled: launches are serialised' END,
            CASE WHEN grade = 'hosts' THEN 'the sides come from different hosts' END,
            CASE WHEN coalesce(factor, 'code') = 'code' AND binary_kind = 'elf'
                AND binary_md5_a = binary_md5_b AND code_objects_a = code_objects_b
                AND command_a = command_b AND env_a = env_b
                THEN 'both sides ran the very same program' END,
            CASE WHEN len(retracted_parts) > 0 THEN 'it rests on something that was retracted' END,
            CASE WHEN correct = FALSE THEN 'a correctness command failed' END,
            CASE WHEN contested THEN 'it comes from a forked origin' END
        ],
        [
            CASE WHEN git_state = 'dirty' THEN 'it was measured in a dirty worktree' END,
            CASE WHEN correct IS NULL THEN 'perf-only: no correctness result' END
        ]
    FROM ab_runs
    WHERE NOT is_aa AND (
        verdict IN ('faster', 'slower', 'faster_small', 'slower_small')
        OR verdict IS NULL AND lift <> 1
    )
    UNION ALL
    SELECT
        d.by_event, 'promotion', a.recorded_us, r.host, d.target, r.metric, NULL, NULL, NULL, s.n,
        [
            CASE WHEN r.row_id IS NULL AND k.event_id IS NULL AND v.event_id IS NULL
                THEN 'what it promotes is gone: retracted or replaced' END,
            CASE WHEN coalesce(s.n, 4) < 4 THEN format('its series has {} run(s), at least 4 are needed', s.n) END,
            CASE WHEN s.stability = 'unstable' THEN 'its series is unstable' END,
            CASE WHEN s.profiled THEN 'it was profiled: launches are serialised' END,
            CASE WHEN s.cold > 0 THEN 'its series holds cold starts' END,
            CASE WHEN r.git_state = 'dirty' THEN 'its worktree was dirty' END,
            CASE WHEN r.status <> 'ok' THEN 'it is ' || r.status END,
            CASE WHEN k.event_id IS NOT NULL THEN 'it rests on something that was retracted' END,
            CASE WHEN r.contested THEN 'it comes from a forked origin' END
        ],
        [
            CASE WHEN r.evidence = 'exploratory'
                THEN 'exploratory: it lacks ' || array_to_string(r.missing, ', ') END,
            CASE WHEN r.row_id IS NOT NULL THEN 'perf-only: no correctness result' END
        ]
    FROM dispositions d
    JOIN annotation a ON a.event_id = d.by_event
    LEFT JOIN rows r ON r.row_id = d.target
    LEFT JOIN of_row s ON s.id = d.target
    LEFT JOIN shaken k ON k.event_id = d.by_event
    LEFT JOIN (SELECT event_id FROM evals UNION ALL SELECT event_id FROM ab_runs) v
        ON v.event_id = d.target
    WHERE d.disposition = 'promotion_candidate'
)
SELECT
    event_id, kind, recorded_us, host, about, metric, verdict, ratio, n_a, n_b,
    list_filter(faults, lambda x: x IS NOT NULL) AS faults,
    list_filter(notes, lambda x: x IS NOT NULL) AS notes
FROM told
