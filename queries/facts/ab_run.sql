-- summary: A/B comparisons: two commands or environments in turn, graph off against on, A/A pairs; made here or graph A/B documents of older tools.
-- kinds: ab
-- grain: event_id
-- columns: event_id        the event
--          origin          stream of the event
--          seq             place in that stream
--          recorded_us     when it was recorded, UTC microseconds
--          captured_us     when it was measured, UTC microseconds
--          imported        it came in as a file
--          session         recording command; NULL for imports
--          experiment_id   its own id; NULL in older documents
--          is_graph        graph off against graph on
--          is_aa           no change: both sides are the same
--          status          pass, fail or unstable
--          metric          metric
--          goal            maximize or minimize; NULL in older documents
--          factor          what the comparison is about
--          turns           abba, ab or none
--          value_a         base: median, or the headline pass
--          value_b         the other side
--          samples_a       runs of the base
--          samples_b       runs of the other side
--          lift            value_b / value_a
--          verdict         rung of the ladder; NULL in older documents
--          ratio           estimate, above 1 is better
--          lo              lower end of its interval
--          hi              upper end
--          mde             smallest effect the runs could have shown
--          runs_needed     pairs or blocks for an mde of the band
--          grade           interleaved, one session, sessions or hosts
--          correct         all correctness commands passed; NULL when there were none
--          host            host
--          arch            GPU architecture
--          device_index    index of the device
--          visible         visibility variables
--          command_a       digest of the base's command
--          command_b       digest of the other side's
--          env_a           variant variables of the base, NAME=value, sorted
--          env_b           variant variables of the other side
--          profiled        launches were serialised on a side
--          binary_md5_a    digest of the base's program
--          binary_md5_b    digest of the other side's
--          binary_kind     elf, script, other or missing
--          code_objects_a  digest of the base's code-object folder
--          code_objects_b  digest of the other side's
--          git_sha         commit
--          git_state       clean, dirty or unknown
--          diff_md5        digest of the uncommitted change
--          target          what it is about: arch, workload, phase, shape_bucket, quant
--          parts           events of the runs it rests on
WITH read AS (
    SELECT
        *,
        from_json(body, '{"runs": ["VARCHAR"], "document": {
            "schema": "VARCHAR", "experiment_id": "VARCHAR", "captured_at_utc": "VARCHAR",
            "status": "VARCHAR", "metric": "VARCHAR", "goal": "VARCHAR", "factor": "VARCHAR",
            "order": "VARCHAR", "aa": "BOOLEAN",
            "delta": {
                "graph_off": "DOUBLE", "graph_on": "DOUBLE", "a": "DOUBLE", "b": "DOUBLE",
                "lift": "DOUBLE"
            },
            "correctness": [{"returncode": "INTEGER"}],
            "verdict": {
                "verdict": "VARCHAR", "ratio": "DOUBLE", "lo": "DOUBLE", "hi": "DOUBLE",
                "mde": "DOUBLE", "runs_needed": "BIGINT", "grade": "VARCHAR"
            },
            "provenance": {
                "git_sha": "VARCHAR", "git_dirty": "BOOLEAN", "git_state": "VARCHAR",
                "diff_md5": "VARCHAR", "binary_md5": "VARCHAR"
            },
            "target": {
                "host": "VARCHAR", "arch": "VARCHAR", "workload": "VARCHAR", "phase": "VARCHAR",
                "shape_bucket": "VARCHAR", "quant": "VARCHAR"
            }
        }}') AS d
    FROM _parsed
    WHERE kind = 'ab'
),
sided AS (
    SELECT
        event_id,
        from_json(body, '{"document": {"sides": {
            "a": {
                "samples": ["DOUBLE"], "host": "VARCHAR",
                "device": {"arch": "VARCHAR", "device_index": "INTEGER", "visible": "VARCHAR"},
                "command_digest": "VARCHAR", "env": "MAP(VARCHAR, VARCHAR)",
                "binary_md5": "VARCHAR", "binary_kind": "VARCHAR", "code_objects": "VARCHAR",
                "profiled": "BOOLEAN"
            },
            "b": {
                "samples": ["DOUBLE"], "command_digest": "VARCHAR",
                "env": "MAP(VARCHAR, VARCHAR)", "binary_md5": "VARCHAR", "code_objects": "VARCHAR",
                "profiled": "BOOLEAN"
            }
        }}}').document.sides AS s
    FROM _parsed
    WHERE kind = 'ab'
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
    coalesce(ends_with(d.document.schema, 'graph_ab.v0'), FALSE) AS is_graph,
    coalesce(d.document.aa, FALSE) AS is_aa,
    d.document.status AS status,
    d.document.metric AS metric,
    d.document.goal AS goal,
    coalesce(
        d.document.factor,
        CASE WHEN ends_with(d.document.schema, 'graph_ab.v0') THEN 'env:HIPFIRE_GRAPH' END
    ) AS factor,
    coalesce(d.document."order", 'none') AS turns,
    coalesce(d.document.delta.graph_off, d.document.delta.a) AS value_a,
    coalesce(d.document.delta.graph_on, d.document.delta.b) AS value_b,
    list_filter(coalesce(s.a.samples, []), lambda x: isfinite(x)) AS samples_a,
    list_filter(coalesce(s.b.samples, []), lambda x: isfinite(x)) AS samples_b,
    d.document.delta.lift AS lift,
    d.document.verdict.verdict AS verdict,
    d.document.verdict.ratio AS ratio,
    d.document.verdict.lo AS lo,
    d.document.verdict.hi AS hi,
    d.document.verdict.mde AS mde,
    d.document.verdict.runs_needed AS runs_needed,
    d.document.verdict.grade AS grade,
    CASE WHEN len(d.document.correctness) > 0 THEN NOT list_contains(
        list_transform(d.document.correctness, lambda c: coalesce(c.returncode <> 0, TRUE)), TRUE
    ) END AS correct,
    coalesce(s.a.host, nullif(d.document.target.host, 'unknown'), nullif(host, 'unknown')) AS host,
    coalesce(s.a.device.arch, nullif(d.document.target.arch, 'unknown')) AS arch,
    s.a.device.device_index AS device_index,
    s.a.device.visible AS visible,
    s.a.command_digest AS command_a,
    s.b.command_digest AS command_b,
    list_sort(list_transform(
        map_entries(coalesce(s.a.env, MAP {})), lambda e: e.key || '=' || coalesce(e.value, '')
    )) AS env_a,
    list_sort(list_transform(
        map_entries(coalesce(s.b.env, MAP {})), lambda e: e.key || '=' || coalesce(e.value, '')
    )) AS env_b,
    coalesce(s.a.profiled OR s.b.profiled, FALSE) AS profiled,
    coalesce(s.a.binary_md5, d.document.provenance.binary_md5) AS binary_md5_a,
    coalesce(s.b.binary_md5, d.document.provenance.binary_md5) AS binary_md5_b,
    s.a.binary_kind AS binary_kind,
    s.a.code_objects AS code_objects_a,
    s.b.code_objects AS code_objects_b,
    nullif(d.document.provenance.git_sha, 'unknown') AS git_sha,
    coalesce(d.document.provenance.git_state, CASE
        WHEN d.document.provenance.git_dirty THEN 'dirty'
        WHEN NOT d.document.provenance.git_dirty THEN 'clean'
    END, 'unknown') AS git_state,
    d.document.provenance.diff_md5 AS diff_md5,
    d.document.target AS target,
    coalesce(d.runs, []) AS parts
FROM read
JOIN sided USING (event_id)
WHERE d.document.metric IS NOT NULL
