-- summary: Runs of the rows: one value per process and series, with everything that decides what it may be compared with. Partial, quarantined and contested rows are no samples.
-- grain: sample_id
-- columns: sample_id     row id; of several rows of one process the first
--          kind          row
--          series_id     runs that belong together: workload, treatment, session, metric
--          workload_key  number over what must be equal to compare
--          treatment_key number over what may differ
--          event_id      event it comes from
--          ids           all rows it rests on
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
--          turn          place of its pair or block where both sides took turns; NULL elsewhere
--          turn_runs     runs of one side in a turn
--          is_aa         it was recorded to show the host's own noise: nothing changed
--          disposition   what a person decided about it
SELECT
    min_by(r.row_id, {o: r.ordinal, i: r.row_id}) AS sample_id,
    'row' AS kind,
    printf('%016x', r.series_key) || ':' || r.metric AS series_id,
    any_value(r.workload_key) AS workload_key,
    any_value(r.treatment_key) AS treatment_key,
    min_by(r.event_id, {o: r.ordinal, i: r.row_id}) AS event_id,
    list(r.row_id ORDER BY r.ordinal, r.row_id) AS ids,
    min(coalesce(r.captured_us, r.recorded_us)) AS at_us,
    any_value(r.session) AS session,
    r.metric,
    median(r.value) AS value,
    metric_rule_of(r.metric).goal AS goal,
    metric_rule_of(r.metric).delta AS delta,
    any_value(r.host) AS host,
    'bench' AS keyed_by,
    CAST(NULL AS VARCHAR) AS target,
    any_value(r.command) AS command,
    bool_or(r.is_script) AS is_script,
    any_value(r.arch) AS arch,
    any_value(r.device_index) AS device_index,
    any_value(r.visible) AS visible,
    any_value(r.quant) AS quant,
    any_value(r.workload) AS workload,
    any_value(r.phase) AS phase,
    any_value(r.shape_bucket) AS shape_bucket,
    any_value(r.kv_mode) AS kv_mode,
    bool_or(r.phase = 'decode_dflash' OR coalesce(r.workload_kind = 'dflash', FALSE)) AS needs_prompt,
    any_value(r.model_md5) AS model_md5,
    any_value(r.model_path || ' of ' || r.model_bytes || ' bytes') AS model_file,
    any_value(r.draft_md5) AS draft_md5,
    any_value(r.prompt_md5) AS prompt_md5,
    any_value(r.profiled) AS profiled,
    any_value(r.env) AS env,
    any_value(r.git_sha) AS git_sha,
    any_value(r.git_state) AS git_state,
    any_value(r.diff_md5) AS diff_md5,
    any_value(r.tree_md5) AS tree_md5,
    any_value(r.binary_md5) AS binary_md5,
    any_value(r.code_objects) AS code_objects,
    any_value(r.hip_version) AS hip_version,
    any_value(r.rocm_version) AS rocm_version,
    bool_or(list_contains(r.tags, 'cold')) AS cold,
    FALSE AS weak,
    CAST(NULL AS BOOLEAN) AS correct,
    CAST(NULL AS VARCHAR) AS arm,
    CAST(NULL AS INTEGER) AS turn,
    CAST(NULL AS INTEGER) AS turn_runs,
    FALSE AS is_aa,
    any_value(coalesce(own.disposition, whole.disposition)) AS disposition
FROM rows r
LEFT JOIN dispositions own ON own.target = r.row_id
LEFT JOIN dispositions whole ON whole.target = r.event_id
WHERE r.status = 'ok' AND r.value IS NOT NULL AND NOT r.contested
GROUP BY r.series_key, r.run_key, r.metric
