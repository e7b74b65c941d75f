-- summary: Measurements: one row each, however often and wherever it was recorded.
-- grain: row_id
-- columns: row_id         identity of the row
--          event_id       its earliest event
--          origin         stream of that event
--          recorded_us    when that event was recorded, UTC microseconds
--          host           host it was measured on
--          phase          prefill, decode_ar, decode_dflash, or what the row says
--          status         ok, partial or quarantined
--          arch           GPU architecture
--          quant          quantisation
--          workload       name of the workload
--          shape_bucket   shape of the work
--          git_sha        commit
--          metric         headline metric
--          value          its value
--          evidence       measured, or exploratory when anything is missing
--          missing        what is missing for it to be evidence
--          seq            place of the event in its stream
--          ordinal        place of the row in its event
--          captured_us    when it was measured, UTC microseconds
--          workload_kind  ar or dflash
--          model_size     size label of the model
--          model_path     where the model lay
--          model_bytes    its size
--          model_md5      its digest
--          draft_md5      digest of the draft model
--          prompt_md5     digest of the prompt
--          kv_mode        KV cache mode
--          device_index   index of the device
--          visible        visibility variable's value
--          env            variables that belong to the workload
--          profiled       tells where time goes, not how fast it is
--          run_index      index of the run within its collection
--          git_state      clean, dirty or unknown
--          diff_md5       digest of the uncommitted change
--          tree_md5       digest of the changed and untracked files
--          binary_md5     digest of the program
--          binary_path    where it lay
--          command        the command line
--          is_script      the command runs a script, whose digest says nothing of what it runs
--          code_objects   digest of the code-object folder
--          hip_version    HIP version printed
--          rocm_version   ROCm version of the host
--          tags           cold, BLINDSPOT, ar_baseline, mtp …
--          why            reasons for a status other than ok
--          metrics        all numeric metrics
--          kernels        profiled kernels it holds
--          session        recording command or import it came with
--          run_key        the process it comes from
--          workload_key   what must be equal to compare
--          treatment_key  what may differ
--          series_key     runs that belong together
--          binary_mtime_us  when the program was last written, UTC microseconds
--          committed_us   when the commit was made, UTC microseconds
--          git_root       top folder of the working tree
--          draft_path     where the draft model lay
--          prompt_file    file the prompt was read from
--          prompt_file_md5  digest of that file
--          objects_folder where the code objects lay
--          sources        all events that hold this row
--          contested      it comes from a forked origin and takes part in no verdict
WITH sourced AS (
    SELECT row_key, list(event_id ORDER BY recorded_us, event_id) AS sources
    FROM live_measurement
    GROUP BY row_key
    HAVING count(*) > 1
),
series AS (
    SELECT series_key, min(run_key) <> max(run_key) AS repeated
    FROM live_measurement
    GROUP BY series_key
),
once AS (
    SELECT m.* FROM live_measurement m SEMI JOIN row_heads USING (event_id, ordinal)
)
SELECT
    o.row_id,
    o.event_id,
    o.origin,
    o.recorded_us,
    o.host,
    o.phase,
    o.stated AS status,
    o.arch,
    o.quant,
    o.workload,
    o.shape_bucket,
    o.git_sha,
    o.metric,
    o.value,
    evidence_of(o.missing, o.stated, s.repeated) AS evidence,
    CASE WHEN s.repeated THEN o.missing ELSE list_append(o.missing, 'second run') END AS missing,
    o.seq,
    o.ordinal,
    o.captured_us,
    o.workload_kind,
    o.model_size,
    o.model_path,
    o.model_bytes,
    o.model_md5,
    o.draft_md5,
    o.prompt_md5,
    o.kv_mode,
    o.device_index,
    o.visible,
    o.env,
    o.profiled,
    o.run_index,
    o.git_state,
    o.diff_md5,
    o.tree_md5,
    o.binary_md5,
    o.binary_path,
    o.command,
    o.is_script,
    o.code_objects,
    o.hip_version,
    o.rocm_version,
    o.tags,
    o.why,
    o.metrics,
    o.kernels,
    o.session,
    o.run_key,
    o.workload_key,
    o.treatment_key,
    o.series_key,
    o.binary_mtime_us,
    o.committed_us,
    o.git_root,
    o.draft_path,
    o.prompt_file,
    o.prompt_file_md5,
    o.objects_folder,
    coalesce(t.sources, [o.event_id]) AS sources,
    c.event_id IS NOT NULL AS contested
FROM once o
JOIN series s USING (series_key)
LEFT JOIN sourced t USING (row_key)
LEFT JOIN contested c ON c.event_id = o.event_id
