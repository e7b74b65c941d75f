-- summary: Results of evals as their documents tell them: made here, or result.json and ledger.jsonl of older tools.
-- kinds: eval
-- grain: event_id
-- columns: event_id        the event
--          origin          stream of the event
--          seq             place in that stream
--          recorded_us     when it was recorded, UTC microseconds
--          captured_us     when it was measured, UTC microseconds
--          imported        it came in as a file
--          is_line         it is a line of ledger.jsonl, which tells less than a result
--          session         recording command; NULL for imports
--          experiment_id   the eval's own id; NULL in older documents
--          task_id         the task
--          status          pass, fail, unstable or needs_baseline
--          metric          metric
--          goal            maximize or minimize; NULL in older documents
--          value           median of the measured runs
--          samples         the measured runs; empty in older documents that only tell summaries
--          runs            count of measured runs
--          rel_spread      (max - min) / median
--          stability       stable, unstable or unknown
--          baseline_source task, refreshed, interleaved, missing-required, a path or an id
--          baseline_value  median of the baseline
--          baseline_samples its runs
--          speedup         ratio of medians, above 1 is better
--          verdict         rung of the ladder; NULL in older documents
--          ratio           estimate, above 1 is better
--          lo              lower end of its interval
--          hi              upper end
--          mde             smallest effect the runs could have shown
--          runs_needed     runs a side for an mde of the band
--          factor          what the comparison is about
--          grade           interleaved, one session, sessions or hosts
--          correct         all correctness commands passed; NULL when there were none
--          bounds          ok, violated, allowed out of bounds or not checked
--          host            host
--          arch            GPU architecture of the run
--          device_index    index of the device
--          visible         visibility variables
--          command_digest  digest of the benchmark command
--          env             variant variables, NAME=value, sorted
--          profiled        launches were serialised
--          binary_md5      digest of the program
--          binary_kind     elf, script, other or missing
--          code_objects    digest of the code-object folder
--          git_sha         commit
--          git_state       clean, dirty or unknown
--          diff_md5        digest of the uncommitted change
--          kernel          hot kernel of the task
--          lever           lever type of the task
--          suggestion_id   suggestion the task was cut from
--          history_key     what tries of the same lever are known by
--          target          what the task is about: arch, workload, phase, shape_bucket, quant
--          parts           events of the runs it rests on
WITH read AS (
    SELECT
        *,
        from_json(body, '{"runs": ["VARCHAR"], "document": {
            "schema": "VARCHAR", "task_id": "VARCHAR", "experiment_id": "VARCHAR",
            "captured_at_utc": "VARCHAR", "status": "VARCHAR", "metric": "VARCHAR",
            "goal": "VARCHAR", "metrics": "MAP(VARCHAR, VARCHAR)", "samples": ["DOUBLE"],
            "summary": "MAP(VARCHAR, STRUCT(\"count\" BIGINT, rel_spread DOUBLE))",
            "stability": {"status": "VARCHAR", "rel_spread": "DOUBLE"},
            "baseline": {
                "source": "VARCHAR", "metrics": "MAP(VARCHAR, VARCHAR)", "samples": ["DOUBLE"]
            },
            "baseline_source": "VARCHAR", "speedup": "DOUBLE", "diff_md5": "VARCHAR",
            "delta": {"speedup": "DOUBLE"},
            "correctness": [{"returncode": "INTEGER", "reason": "VARCHAR"}],
            "benchmark_runs": [{"metrics": "MAP(VARCHAR, VARCHAR)"}],
            "bounds": {"status": "VARCHAR"},
            "side": {
                "host": "VARCHAR",
                "device": {"arch": "VARCHAR", "device_index": "INTEGER", "visible": "VARCHAR"},
                "command_digest": "VARCHAR", "env": "MAP(VARCHAR, VARCHAR)",
                "binary_md5": "VARCHAR", "binary_kind": "VARCHAR", "code_objects": "VARCHAR",
                "profiled": "BOOLEAN"
            },
            "provenance": {
                "git_sha": "VARCHAR", "git_dirty": "BOOLEAN", "git_state": "VARCHAR",
                "diff_md5": "VARCHAR", "binary_md5": "VARCHAR"
            },
            "experiment": {
                "hot_kernel": "VARCHAR", "lever_type": "VARCHAR", "suggestion_id": "VARCHAR",
                "history_key": "VARCHAR"
            },
            "target": {
                "arch": "VARCHAR", "workload": "VARCHAR", "phase": "VARCHAR",
                "shape_bucket": "VARCHAR", "quant": "VARCHAR"
            }
        }}') AS d
    FROM _parsed
    WHERE kind = 'eval'
),
judged AS (
    SELECT
        event_id,
        from_json(body, '{"document": {"verdict": {
            "verdict": "VARCHAR", "ratio": "DOUBLE", "lo": "DOUBLE", "hi": "DOUBLE",
            "mde": "DOUBLE", "runs_needed": "BIGINT", "factor": "VARCHAR", "grade": "VARCHAR"
        }}}').document.verdict AS v
    FROM _parsed
    WHERE kind = 'eval'
)
SELECT
    event_id,
    origin,
    seq,
    recorded_us,
    epoch_us(TRY_CAST(d.document.captured_at_utc AS TIMESTAMP)) AS captured_us,
    p.source IS NOT NULL AS imported,
    d.document.schema IS NULL AS is_line,
    p.session_id AS session,
    d.document.experiment_id AS experiment_id,
    d.document.task_id AS task_id,
    d.document.status AS status,
    d.document.metric AS metric,
    d.document.goal AS goal,
    TRY_CAST(d.document.metrics[d.document.metric] AS DOUBLE) AS value,
    list_filter(coalesce(d.document.samples, list_transform(
        d.document.benchmark_runs,
        lambda r: TRY_CAST(r.metrics[d.document.metric] AS DOUBLE)
    ), []), lambda x: isfinite(x)) AS samples,
    d.document.summary[d.document.metric]."count" AS runs,
    coalesce(
        d.document.summary[d.document.metric].rel_spread, d.document.stability.rel_spread
    ) AS rel_spread,
    d.document.stability.status AS stability,
    coalesce(d.document.baseline.source, d.document.baseline_source) AS baseline_source,
    TRY_CAST(d.document.baseline.metrics[d.document.metric] AS DOUBLE) AS baseline_value,
    coalesce(d.document.baseline.samples, []) AS baseline_samples,
    coalesce(d.document.delta.speedup, d.document.speedup) AS speedup,
    v.verdict AS verdict,
    v.ratio AS ratio,
    v.lo AS lo,
    v.hi AS hi,
    v.mde AS mde,
    v.runs_needed AS runs_needed,
    v.factor AS factor,
    v.grade AS grade,
    CASE WHEN len(d.document.correctness) > 0 THEN NOT list_contains(
        list_transform(d.document.correctness, lambda c: coalesce(c.returncode <> 0, TRUE)), TRUE
    ) END AS correct,
    d.document.bounds.status AS bounds,
    coalesce(d.document.side.host, nullif(host, 'unknown')) AS host,
    d.document.side.device.arch AS arch,
    d.document.side.device.device_index AS device_index,
    d.document.side.device.visible AS visible,
    d.document.side.command_digest AS command_digest,
    list_sort(list_transform(
        map_entries(coalesce(d.document.side.env, MAP {})),
        lambda e: e.key || '=' || coalesce(e.value, '')
    )) AS env,
    coalesce(d.document.side.profiled, FALSE) AS profiled,
    coalesce(d.document.side.binary_md5, d.document.provenance.binary_md5) AS binary_md5,
    d.document.side.binary_kind AS binary_kind,
    d.document.side.code_objects AS code_objects,
    nullif(d.document.provenance.git_sha, 'unknown') AS git_sha,
    coalesce(d.document.provenance.git_state, CASE
        WHEN d.document.provenance.git_dirty THEN 'dirty'
        WHEN NOT d.document.provenance.git_dirty THEN 'clean'
    END, 'unknown') AS git_state,
    coalesce(d.document.provenance.diff_md5, d.document.diff_md5) AS diff_md5,
    nullif(d.document.experiment.hot_kernel, 'unknown') AS kernel,
    d.document.experiment.lever_type AS lever,
    d.document.experiment.suggestion_id AS suggestion_id,
    d.document.experiment.history_key AS history_key,
    d.document.target AS target,
    coalesce(d.runs, []) AS parts
FROM read
JOIN judged USING (event_id)
WHERE d.document.task_id IS NOT NULL
