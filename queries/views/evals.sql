-- summary: Evals, each once: a result, its ledger line and a copy that came in as a file are one.
-- grain: event_id
-- columns: event_id         the event that tells most about it
--          origin           stream of the event
--          seq              place in that stream
--          recorded_us      when it was recorded, UTC microseconds
--          captured_us      when it was measured, UTC microseconds
--          session          recording command; NULL for imports
--          experiment_id    the eval's own id
--          task_id          the task
--          status           pass, fail, unstable or needs_baseline
--          metric           metric
--          goal             maximize or minimize
--          value            median of the measured runs
--          samples          the measured runs
--          runs             count of measured runs
--          rel_spread       (max - min) / median
--          stability        stable, unstable or unknown
--          baseline_source  where the baseline comes from
--          baseline_value   median of the baseline
--          baseline_samples its runs
--          speedup          ratio of medians, above 1 is better
--          verdict          rung of the ladder; NULL for older records
--          ratio            estimate, above 1 is better
--          lo               lower end of its interval
--          hi               upper end
--          mde              smallest effect the runs could have shown
--          runs_needed      runs a side for an mde of the band
--          factor           what the comparison is about
--          grade            interleaved, one session, sessions or hosts
--          correct          all correctness commands passed; NULL when there were none
--          bounds           ok, violated, allowed out of bounds or not checked
--          host             host
--          arch             GPU architecture
--          device_index     index of the device
--          visible          visibility variables
--          workload         name of the workload
--          phase            phase
--          shape_bucket     shape of the work
--          quant            quantisation
--          kernel           hot kernel
--          lever            lever type
--          title            what was tried
--          suggestion_id    suggestion the task was cut from
--          history_key      what tries of the same lever are known by
--          command_digest   digest of the benchmark command
--          env              variant variables, NAME=value, sorted
--          profiled         launches were serialised
--          binary_md5       digest of the program
--          binary_kind      elf, script, other or missing
--          code_objects     digest of the code-object folder
--          git_sha          commit
--          git_state        clean, dirty or unknown
--          diff_md5         digest of the uncommitted change
--          parts            events of the runs it rests on
--          retracted_parts  those of them, and its baseline, that were taken back
--          contested        it comes from a forked origin and takes part in no verdict
WITH once AS (
    SELECT *
    FROM eval_result
    WHERE event_id NOT IN (SELECT event_id FROM retracted)
    QUALIFY row_number() OVER (
        PARTITION BY task_id, coalesce(CAST(captured_us AS VARCHAR), event_id), metric
        ORDER BY imported, is_line, recorded_us, event_id
    ) = 1
),
gone AS (
    SELECT coalesce(list(event_id), []) AS ids FROM retracted
)
SELECT
    e.event_id, e.origin, e.seq, e.recorded_us, e.captured_us, e.session, e.experiment_id,
    e.task_id, e.status, e.metric,
    coalesce(e.goal, t.goal, metric_rule_of(e.metric).goal) AS goal,
    e.value, e.samples, e.runs, e.rel_spread, e.stability, e.baseline_source, e.baseline_value,
    e.baseline_samples, e.speedup, e.verdict, e.ratio, e.lo, e.hi, e.mde, e.runs_needed, e.factor,
    e.grade, e.correct, e.bounds,
    coalesce(e.host, t.host) AS host,
    coalesce(e.arch, nullif(e.target.arch, 'unknown'), t.arch) AS arch,
    e.device_index, e.visible,
    coalesce(nullif(e.target.workload, 'unknown'), t.workload) AS workload,
    coalesce(nullif(e.target.phase, 'unknown'), t.phase) AS phase,
    coalesce(nullif(e.target.shape_bucket, 'unknown'), t.shape_bucket) AS shape_bucket,
    coalesce(nullif(e.target.quant, 'unknown'), t.quant) AS quant,
    coalesce(e.kernel, t.kernel) AS kernel,
    coalesce(e.lever, t.lever) AS lever,
    t.title,
    coalesce(e.suggestion_id, t.suggestion_id) AS suggestion_id,
    coalesce(e.history_key, t.history_key) AS history_key,
    e.command_digest, e.env, e.profiled, e.binary_md5, e.binary_kind, e.code_objects, e.git_sha,
    e.git_state, e.diff_md5, e.parts,
    list_intersect(list_append(e.parts, e.baseline_source), gone.ids) AS retracted_parts,
    c.event_id IS NOT NULL AS contested
FROM once e
CROSS JOIN gone
LEFT JOIN tasks t ON t.task_id = e.task_id
LEFT JOIN contested c ON c.event_id = e.event_id
