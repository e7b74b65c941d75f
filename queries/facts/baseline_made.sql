-- summary: Baselines of tasks: made here, or baseline.json of older tools.
-- kinds: baseline
-- grain: event_id
-- columns: event_id        the event
--          origin          stream of the event
--          seq             place in that stream
--          recorded_us     when it was recorded, UTC microseconds
--          captured_us     when it was measured, UTC microseconds
--          imported        it came in as a file
--          session         recording command; NULL for imports
--          experiment_id   the eval it comes from
--          task_id         the task
--          metric          metric
--          goal            maximize or minimize; NULL in older documents
--          value           median
--          samples         the measured runs; empty in older documents
--          runs            count of measured runs
--          rel_spread      (max - min) / median
--          stability       stable, unstable or unknown
--          weak            accepted with fewer than 4 runs: nothing can be claimed against it
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
--          parts           events of the runs it rests on
WITH read AS (
    SELECT
        *,
        from_json(body, '{"runs": ["VARCHAR"], "document": {
            "task_id": "VARCHAR", "experiment_id": "VARCHAR", "captured_at_utc": "VARCHAR",
            "metric": "VARCHAR", "goal": "VARCHAR", "metrics": "MAP(VARCHAR, VARCHAR)",
            "stability": {"status": "VARCHAR", "rel_spread": "DOUBLE"},
            "run_count": "BIGINT", "weak": "BOOLEAN",
            "side": {
                "samples": ["DOUBLE"], "host": "VARCHAR",
                "device": {"arch": "VARCHAR", "device_index": "INTEGER", "visible": "VARCHAR"},
                "command_digest": "VARCHAR", "env": "MAP(VARCHAR, VARCHAR)",
                "binary_md5": "VARCHAR", "binary_kind": "VARCHAR", "code_objects": "VARCHAR",
                "profiled": "BOOLEAN"
            },
            "provenance": {
                "git_sha": "VARCHAR", "git_state": "VARCHAR", "diff_md5": "VARCHAR"
            }
        }}') AS d
    FROM _parsed
    WHERE kind = 'baseline'
)
SELECT
    event_id,
    origin,
    seq,
    recorded_us,
    epoch_us(TRY_CAST(d.document.captured_at_utc AS TIMESTAMP)) AS captured_us,
    p.source IS NOT NULL AS imported,
    p.session_id AS session,
    d.document.experiment_id AS experiment_id,
    d.document.task_id AS task_id,
    d.document.metric AS metric,
    d.document.goal AS goal,
    TRY_CAST(d.document.metrics[d.document.metric] AS DOUBLE) AS value,
    list_filter(coalesce(d.document.side.samples, []), lambda x: isfinite(x)) AS samples,
    d.document.run_count AS runs,
    d.document.stability.rel_spread AS rel_spread,
    d.document.stability.status AS stability,
    coalesce(d.document.weak, FALSE) AS weak,
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
    d.document.side.binary_md5 AS binary_md5,
    d.document.side.binary_kind AS binary_kind,
    d.document.side.code_objects AS code_objects,
    d.document.provenance.git_sha AS git_sha,
    coalesce(d.document.provenance.git_state, 'unknown') AS git_state,
    d.document.provenance.diff_md5 AS diff_md5,
    coalesce(d.runs, []) AS parts
FROM read
WHERE d.document.task_id IS NOT NULL
