-- summary: Measured runs of evals and A/Bs: one process each. Failed runs and what was taken back or is contested are no samples.
-- grain: sample_id
-- columns: sample_id     event of the run
--          kind          eval or ab
--          series_id     runs that belong together: workload, treatment, session, metric
--          workload_key  number over what must be equal to compare
--          treatment_key number over what may differ
--          event_id      event it comes from
--          ids           rows and events it answers for
--          at_us         when it was measured, UTC microseconds
--          session       recording command or import
--          metric        metric
--          value         its value; the median where a process measured several times
--          goal          maximize or minimize
--          delta         change of interest, a fraction
--          host          host
--          keyed_by      bench: every field of the workload key counts; command: host, command, env and target do
--          target        task target of a command; NULL for benches
--          command       command line
--          is_script     the command runs a script
--          arch          GPU architecture
--          device_index  index of the device
--          visible       visibility variable's value
--          quant         quantisation
--          workload      name of the workload
--          phase         phase
--          shape_bucket  shape of the work
--          kv_mode       KV cache mode
--          needs_prompt  it belongs to a phase that has a prompt and a draft model
--          model_md5     digest of the model
--          model_file    path and size of the model
--          draft_md5     digest of the draft model
--          prompt_md5    digest of the prompt
--          profiled      profiling was on
--          env           variables that belong to the workload, NAME=value
--          git_sha       commit
--          git_state     clean, dirty or unknown
--          diff_md5      digest of the uncommitted change
--          tree_md5      digest of the changed and untracked files
--          binary_md5    digest of the program
--          code_objects  digest of the code-object folder
--          hip_version   HIP version printed
--          rocm_version  ROCm version of the host
--          cold          it holds a cold start
--          weak          it belongs to a baseline that was accepted with too few runs
--          correct       whether its correctness commands passed; NULL when none ran
--          arm           a or b where two sides were run by one command; NULL elsewhere
--          turn          place of its pair or block where both sides took turns, from 0; NULL elsewhere
--          turn_runs     runs of one side in a turn
--          disposition   what a person decided about it
WITH part AS (
    SELECT event_id AS whole, unnest(parts) AS event_id, FALSE AS weak, correct FROM eval_result
    UNION ALL
    SELECT event_id, unnest(parts), FALSE, correct FROM ab_run
    UNION ALL
    SELECT event_id, unnest(parts), weak, NULL FROM baseline_made
),
whole AS (
    SELECT
        event_id, list(whole ORDER BY whole) AS wholes, bool_or(weak) AS weak,
        bool_and(correct) AS correct
    FROM part
    WHERE whole NOT IN (SELECT event_id FROM retracted)
    GROUP BY event_id
),
task AS (
    SELECT
        task_id,
        arg_max(
            {w: workload, p: phase, s: shape_bucket, q: quant, t: concat_ws(' ', arch, workload, phase, shape_bucket, quant)},
            {t: coalesce(created_us, recorded_us), e: event_id}
        ) AS of
    FROM task_cut GROUP BY task_id
),
turn AS (
    SELECT experiment_id, any_value(turns) AS turns FROM ab_run
    WHERE experiment_id IS NOT NULL GROUP BY experiment_id
),
ran AS (
    SELECT * FROM eval_run
    ANTI JOIN retracted USING (event_id)
    ANTI JOIN contested USING (event_id)
    WHERE role = 'measured' AND value IS NOT NULL AND reason IS NULL
),
sided AS (
    SELECT
        r.*,
        min(arm) OVER (PARTITION BY experiment_id) <> max(arm) OVER (PARTITION BY experiment_id) AS facing,
        list_filter(env, lambda e: NOT list_contains([
            'HIP_VISIBLE_DEVICES', 'ROCR_VISIBLE_DEVICES', 'HIPFIRE_DEVICES',
            'CUDA_VISIBLE_DEVICES', 'GPU_DEVICE_ORDINAL', 'HIPFIRE_DPM_WARMUP_SECS'
        ], split_part(e, '=', 1))) AS own_env
    FROM ran r
),
placed AS (
    SELECT
        s.* REPLACE (coalesce(s.goal, metric_rule_of(s.metric).goal) AS goal),
        CASE WHEN s.facing THEN CASE
            WHEN s.arm IN ('a', 'baseline', 'graph_off') THEN 'a' ELSE 'b'
        END END AS side,
        t.of.t AS target,
        t.of.w AS workload,
        t.of.p AS phase,
        t.of.s AS shape_bucket,
        t.of.q AS quant
    FROM sided s LEFT JOIN task t ON t.task_id = s.task_id
)
SELECT
    p.event_id AS sample_id,
    CASE WHEN p.experiment = 'eval' THEN 'eval' ELSE 'ab' END AS kind,
    p.experiment_id || ':' || p.arm || ':' || p.metric AS series_id,
    md5_number_lower(concat_ws(chr(31), 'command', p.host, p.command, p.target, p.arch,
        p.device_index::VARCHAR, p.visible, p.profiled, array_to_string(p.own_env, chr(30)))) AS workload_key,
    md5_number_lower(concat_ws(chr(31), p.git_sha, p.diff_md5, p.binary_md5, p.code_objects)) AS treatment_key,
    p.event_id,
    list_concat([p.event_id], coalesce(w.wholes, [])) AS ids,
    coalesce(p.ended_us, p.recorded_us) AS at_us,
    p.session,
    p.metric,
    p.value,
    p.goal,
    metric_rule_of(p.metric).delta AS delta,
    p.host,
    'command' AS keyed_by,
    p.target,
    p.command,
    p.binary_kind IS DISTINCT FROM 'elf' AS is_script,
    p.arch,
    p.device_index,
    p.visible,
    p.quant,
    p.workload,
    p.phase,
    p.shape_bucket,
    CAST(NULL AS VARCHAR) AS kv_mode,
    FALSE AS needs_prompt,
    CAST(NULL AS VARCHAR) AS model_md5,
    CAST(NULL AS VARCHAR) AS model_file,
    CAST(NULL AS VARCHAR) AS draft_md5,
    CAST(NULL AS VARCHAR) AS prompt_md5,
    p.profiled,
    p.own_env AS env,
    p.git_sha,
    p.git_state,
    p.diff_md5,
    CAST(NULL AS VARCHAR) AS tree_md5,
    p.binary_md5,
    p.code_objects,
    CAST(NULL AS VARCHAR) AS hip_version,
    CAST(NULL AS VARCHAR) AS rocm_version,
    FALSE AS cold,
    coalesce(w.weak, FALSE) AS weak,
    w.correct,
    p.side AS arm,
    CASE a.turns WHEN 'ab' THEN p.run_index WHEN 'abba' THEN p.run_index // 2 END AS turn,
    CASE a.turns WHEN 'ab' THEN 1 WHEN 'abba' THEN 2 END AS turn_runs,
    (
        SELECT min(d.disposition) FROM dispositions d WHERE list_contains(w.wholes, d.target)
    ) AS disposition
FROM placed p
LEFT JOIN whole w ON w.event_id = p.event_id
LEFT JOIN turn a ON a.experiment_id = p.experiment_id
