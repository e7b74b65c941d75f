-- summary: Single processes of evals and A/B runs: each is an event the moment it ends.
-- kinds: eval_run
-- grain: event_id
-- columns: event_id       the event
--          origin         stream of the event
--          seq            place in that stream
--          recorded_us    when it was recorded, UTC microseconds
--          session        recording command
--          experiment_id  the eval or A/B it belongs to
--          experiment     eval, ab or graph_ab
--          contract       digest of what is run; equal ones can be resumed
--          task_id        the task; NULL for an A/B
--          role           correctness, warmup or measured
--          arm            candidate, baseline, a, b, graph_off or graph_on
--          run_index      place among those of the same role and arm, from 0
--          metric         metric that is looked up
--          goal           maximize or minimize
--          value          its value; NULL when it was not printed
--          returncode     exit code, minus the signal that ended it
--          reason         why the run counts as failed
--          host           host
--          arch           GPU architecture
--          device_index   index of the device
--          visible        visibility variables
--          profiled       launches were serialised
--          env            recorded variables, NAME=value, sorted
--          command        what ran: text, or an argv as JSON
--          binary_md5     digest of the program
--          binary_kind    elf, script, other or missing
--          code_objects   digest of the code-object folder
--          git_sha        commit
--          git_state      clean, dirty or unknown
--          diff_md5       digest of the uncommitted change
--          started_us     when it started, UTC microseconds
--          ended_us       when it ended, UTC microseconds
WITH read AS (
    SELECT
        *,
        from_json(body, '{
            "experiment": {
                "id": "VARCHAR", "kind": "VARCHAR", "contract": "VARCHAR", "task_id": "VARCHAR",
                "metric": "VARCHAR", "goal": "VARCHAR"
            },
            "run": {
                "role": "VARCHAR", "arm": "VARCHAR", "index": "INTEGER", "command": "VARCHAR",
                "returncode": "INTEGER", "reason": "VARCHAR", "value": "VARCHAR",
                "env": "MAP(VARCHAR, VARCHAR)", "profiled": "BOOLEAN",
                "device": {"arch": "VARCHAR", "device_index": "INTEGER", "visible": "VARCHAR"},
                "binary": {"md5": "VARCHAR", "kind": "VARCHAR"},
                "code_objects": {"digest": "VARCHAR"},
                "git": {"sha": "VARCHAR", "state": "VARCHAR", "diff_md5": "VARCHAR"},
                "started_us": "BIGINT", "ended_us": "BIGINT"
            }
        }') AS d
    FROM _parsed
    WHERE kind = 'eval_run'
)
SELECT
    event_id,
    origin,
    seq,
    recorded_us,
    p.session_id AS session,
    d.experiment.id AS experiment_id,
    d.experiment.kind AS experiment,
    d.experiment.contract AS contract,
    d.experiment.task_id AS task_id,
    d.run.role AS role,
    d.run.arm AS arm,
    d.run.index AS run_index,
    d.experiment.metric AS metric,
    d.experiment.goal AS goal,
    CASE WHEN isfinite(TRY_CAST(d.run.value AS DOUBLE)) THEN TRY_CAST(d.run.value AS DOUBLE) END
        AS value,
    d.run.returncode AS returncode,
    d.run.reason AS reason,
    nullif(host, 'unknown') AS host,
    d.run.device.arch AS arch,
    d.run.device.device_index AS device_index,
    d.run.device.visible AS visible,
    coalesce(d.run.profiled, FALSE) AS profiled,
    list_sort(list_transform(
        map_entries(coalesce(d.run.env, MAP {})),
        lambda v: v.key || '=' || coalesce(v.value, '')
    )) AS env,
    d.run.command AS command,
    d.run.binary.md5 AS binary_md5,
    d.run.binary.kind AS binary_kind,
    d.run.code_objects.digest AS code_objects,
    d.run.git.sha AS git_sha,
    d.run.git.state AS git_state,
    d.run.git.diff_md5 AS diff_md5,
    d.run.started_us AS started_us,
    d.run.ended_us AS ended_us
FROM read
WHERE d.experiment.id IS NOT NULL
