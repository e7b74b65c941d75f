-- summary: Tasks as their bundles tell them: made here, or by older tools.
-- kinds: task
-- grain: event_id
-- columns: event_id        the event
--          origin          stream of the event
--          seq             place in that stream
--          recorded_us     when it was recorded, UTC microseconds
--          created_us      when the task was made, UTC microseconds
--          imported        it came in as a file
--          session         recording command; NULL for imports
--          task_id         id of the task
--          producer        hipfire-atlas-row, hipfire-atlas-suggestion or pytorch
--          host            host of the row it was cut from
--          arch            GPU architecture
--          workload        name of the workload
--          phase           phase
--          shape_bucket    shape of the work
--          model_size      size label of the model
--          quant           quantisation
--          kernel          hot kernel
--          lever           lever type
--          title           what is to be tried
--          suggestion_id   suggestion it was cut from
--          history_key     what earlier tries of the same lever are known by
--          steps           steps that were proposed
--          metric          metric of its eval
--          goal            maximize or minimize
--          command         benchmark command: text, or an argv as JSON
--          env             variables the contract sets, NAME=value, sorted
--          allowed_files   files that may be edited
--          fresh_baseline  its own numbers are no reference
--          git_sha         commit it was cut from
WITH read AS (
    SELECT
        *,
        from_json(body, '{"document": {
            "task_id": "VARCHAR", "created_at_utc": "VARCHAR",
            "producer": {"kind": "VARCHAR", "suggestion": {
                "id": "VARCHAR", "history_key": "VARCHAR", "lever_type": "VARCHAR",
                "hot_kernel": "VARCHAR", "title": "VARCHAR"
            }},
            "target": {
                "host": "VARCHAR", "arch": "VARCHAR", "workload": "VARCHAR", "phase": "VARCHAR",
                "shape_bucket": "VARCHAR", "model_size": "VARCHAR", "quant": "VARCHAR"
            },
            "hot_kernel": {"name": "VARCHAR"},
            "baseline": {"env": "MAP(VARCHAR, VARCHAR)", "requires_fresh_baseline": "BOOLEAN"},
            "experiment": {
                "title": "VARCHAR", "lever_type": "VARCHAR", "candidate_steps": ["VARCHAR"]
            },
            "constraints": {"allowed_files": ["VARCHAR"]},
            "cut": {"git_sha": "VARCHAR"},
            "eval": {
                "metric": "VARCHAR", "goal": "VARCHAR", "benchmark_command": "VARCHAR",
                "requires_fresh_baseline": "BOOLEAN"
            }
        }}').document AS d
    FROM _parsed
    WHERE kind = 'task'
)
SELECT
    event_id,
    origin,
    seq,
    recorded_us,
    epoch_us(TRY_CAST(d.created_at_utc AS TIMESTAMP)) AS created_us,
    p.source IS NOT NULL AS imported,
    p.session_id AS session,
    d.task_id AS task_id,
    d.producer.kind AS producer,
    coalesce(nullif(d.target.host, 'unknown'), nullif(host, 'unknown')) AS host,
    nullif(d.target.arch, 'unknown') AS arch,
    nullif(d.target.workload, 'unknown') AS workload,
    nullif(d.target.phase, 'unknown') AS phase,
    nullif(d.target.shape_bucket, 'unknown') AS shape_bucket,
    nullif(d.target.model_size, 'unknown') AS model_size,
    nullif(d.target.quant, 'unknown') AS quant,
    coalesce(nullif(d.hot_kernel.name, 'unknown'), d.producer.suggestion.hot_kernel) AS kernel,
    coalesce(d.experiment.lever_type, d.producer.suggestion.lever_type) AS lever,
    coalesce(d.experiment.title, d.producer.suggestion.title) AS title,
    d.producer.suggestion.id AS suggestion_id,
    d.producer.suggestion.history_key AS history_key,
    coalesce(d.experiment.candidate_steps, []) AS steps,
    d.eval.metric AS metric,
    d.eval.goal AS goal,
    d.eval.benchmark_command AS command,
    list_sort(list_transform(
        map_entries(coalesce(d.baseline.env, MAP {})),
        lambda v: v.key || '=' || coalesce(v.value, '')
    )) AS env,
    coalesce(d.constraints.allowed_files, []) AS allowed_files,
    coalesce(d.eval.requires_fresh_baseline, d.baseline.requires_fresh_baseline, FALSE)
        AS fresh_baseline,
    lower(d.cut.git_sha) AS git_sha
FROM read
WHERE d.task_id IS NOT NULL
