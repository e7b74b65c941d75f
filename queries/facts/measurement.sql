-- summary: Phase-tagged measurements as their events tell them, both producers of v0 rows read alike.
-- kinds: collection, ingest, reparse
-- grain: event_id, ordinal
-- columns: event_id       the event the row comes from
--          ordinal        position within the event
--          origin         stream of the event
--          seq            place in that stream
--          recorded_us    when the event was recorded, UTC microseconds
--          captured_us    when it was measured, UTC microseconds; NULL when the row doesn't say
--          host           host it was measured on
--          row_id         identity of the row: 16 hex digits over its content and its run
--          row_key        the same as a number, cheap to group by
--          run_key        the process it comes from, as a number
--          phase          prefill, decode_ar, decode_dflash, or what the row says
--          workload       name of the workload
--          workload_kind  ar or dflash
--          stated         ok, partial or quarantined, as recorded
--          why            reasons for a status other than ok
--          arch           GPU architecture
--          device_index   index of the device among the visible ones
--          visible        visibility variable's value
--          quant          quantisation
--          model_size     size label of the model
--          shape_bucket   shape of the work, such as pp128
--          run_index      index of the run within its collection
--          git_sha        commit; may be short
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
--          model_path     where the model lay
--          model_bytes    its size
--          model_md5      its digest
--          draft_md5      digest of the draft model
--          prompt_md5     digest of the prompt that was sent
--          kv_mode        KV cache mode
--          env            variables that belong to the workload, NAME=value, sorted
--          profiled       profiling was on: says where time goes, not how fast it is
--          tags           cold, BLINDSPOT, ar_baseline, mtp …
--          metric         the row's headline metric
--          value          its value; NULL when it was not printed or is not finite
--          metrics        all finite numeric metrics
--          kernels        how many profiled kernels the row holds
--          supersedes     the event this one is a newer parse of
--          parser_version version of the parser
--          session        one recording command; imports: same file, host and UTC day
--          binary_mtime_us  when the program was last written, UTC microseconds
--          committed_us   when the commit was made, UTC microseconds
--          git_root       top folder of the working tree
--          draft_path     where the draft model lay
--          prompt_file    file the prompt was read from
--          prompt_file_md5  digest of that file
--          objects_folder where the code objects lay
--          workload_key   number over what must be equal before two measurements are compared
--          treatment_key  number over what may differ: commit, diff, binary, code objects, HIP
--          series_key     workload, treatment and session: runs that statistics work on
--          missing        fields without which the row is no evidence
WITH entry AS (
    SELECT e.*, unnest(e.p.rows) AS x, generate_subscripts(e.p.rows, 1) - 1 AS ordinal
    FROM _parsed e
    WHERE e.kind IN ('collection', 'ingest', 'reparse')
),
named AS (
    SELECT
        *,
        x.row AS r,
        coalesce(x.row.metrics, MAP {}) AS said,
        coalesce(x.row.variant.env, MAP {}) AS variant,
        coalesce(
            TRY_CAST(x.row.captured_at_utc AS TIMESTAMP),
            TRY(make_timestamp(CAST(x.row.captured_at_unix_s * 1000000 AS BIGINT)))
        ) AS captured
    FROM entry
    WHERE coalesce(x.row.phase, '') NOT IN ('ar', 'dflash')
      AND coalesce(x.status, '') <> 'error'
      AND coalesce(x.row.status, '') <> 'error'
),
known AS (
    SELECT
        *,
        coalesce(nullif(x.row_id, ''), md5(event_id || ':' || ordinal)[:16]) AS row_id,
        coalesce(nullif(nullif(r.hostname, ''), 'unknown'), host) AS measured_on,
        lower(coalesce(nullif(nullif(r.arch, ''), 'unknown'), said['arch'])) AS gpu,
        nullif(nullif(lower(r.git_sha), ''), 'unknown') AS sha,
        coalesce(nullif(r.model.path, ''), r.artifacts.target, said['model_path']) AS model_path,
        lower(coalesce(
            r.artifacts.kv_mode, r.artifacts.runtime_route.kv_mode, variant['HIPFIRE_KV_MODE'],
            said['kv_mode']
        )) AS kv_mode,
        coalesce(nullif(r.shape_bucket, ''), CASE r.phase
            WHEN 'prefill' THEN 'pp' || said['prefill_tokens']
            WHEN 'decode_ar'
                THEN 'decode_ar_pp' || said['prefill_tokens'] || '_gen' || said['gen_tokens']
        END) AS shape_bucket,
        map_from_entries(list_filter(
            list_transform(map_entries(said), lambda m: {
                k: m.key,
                v: CASE WHEN isfinite(TRY_CAST(m.value AS DOUBLE)) THEN TRY_CAST(m.value AS DOUBLE) END
            }),
            lambda m: m.v IS NOT NULL
        )) AS metrics,
        list_filter(['gen_tok_s', 'decode_tok_s', 'prefill_tok_s', 'tau'], lambda m: said[m] IS NOT NULL)[1] AS present
    FROM named
),
judged AS (
    SELECT
        *,
        coalesce(present, CASE r.phase
            WHEN 'prefill' THEN 'prefill_tok_s'
            WHEN 'decode_dflash' THEN 'decode_tok_s'
            ELSE 'gen_tok_s'
        END) AS metric,
        CASE
            WHEN r.provenance.git_state IN ('clean', 'dirty', 'unknown') THEN r.provenance.git_state
            WHEN sha IS NULL THEN 'unknown'
            WHEN r.provenance.git_dirty THEN 'dirty'
            WHEN NOT r.provenance.git_dirty THEN 'clean'
            WHEN r.provenance.diff_md5 = '68b329da9893e34099c7d8ad5cb9c940' THEN 'clean'
            WHEN r.provenance.diff_md5 IS NOT NULL THEN 'dirty'
            ELSE 'unknown'
        END AS git_state,
        list_sort(list_transform(
            list_filter(map_entries(variant), lambda v: v.key NOT IN (
                'HIPFIRE_PROFILE', 'HIPFIRE_PROFILE_DECODE', 'HIPFIRE_HOST_TIMING',
                'HIPFIRE_PROMPT_TOKEN_HEAT', 'HIPFIRE_PROMPT_HEAT_JSON', 'HIPFIRE_ROCPROF_CSV',
                'HIPFIRE_ROCPROF_CHILD', 'HIPFIRE_PROFILE_NO_ROCPROF', 'HIPFIRE_DPM_WARMUP_SECS',
                'HIP_VISIBLE_DEVICES', 'ROCR_VISIBLE_DEVICES', 'HIPFIRE_DEVICES', 'CUDA_VISIBLE_DEVICES',
                'GPU_DEVICE_ORDINAL'
            )),
            lambda v: v.key || '=' || coalesce(v.value, '')
        )) AS env,
        list_has_any(
            map_keys(map_from_entries(list_filter(map_entries(variant), lambda v:
                lower(coalesce(v.value, '')) NOT IN ('', '0', 'false', 'no', 'off')))),
            [
                'HIPFIRE_PROFILE', 'HIPFIRE_PROFILE_DECODE', 'HIPFIRE_HOST_TIMING',
                'HIPFIRE_PROMPT_TOKEN_HEAT', 'HIPFIRE_PROMPT_HEAT_JSON', 'HIPFIRE_ROCPROF_CSV',
                'HIPFIRE_ROCPROF_CHILD', 'HIPFIRE_PROFILE_NO_ROCPROF'
            ]
        ) OR list_contains(coalesce(r.tags, []), 'profiled')
          OR coalesce(len(r.artifacts.profile_kernels), 0) > 0 AS profiled
    FROM known
),
typed AS (
    SELECT
        event_id,
        CAST(ordinal AS INTEGER) AS ordinal,
        origin,
        seq,
        recorded_us,
        epoch_us(captured) AS captured_us,
        measured_on AS host,
        row_id,
        coalesce(TRY_CAST('0x' || row_id AS UBIGINT), md5_number_lower(row_id)) AS row_key,
        md5_number_lower(coalesce(x.run_id, row_id)) AS run_key,
        coalesce(r.phase, 'unknown') AS phase,
        nullif(r.workload, '') AS workload,
        nullif(r.workload_kind, '') AS workload_kind,
        CASE
            WHEN x.status IN ('partial', 'quarantined') THEN x.status
            WHEN r.phase IN ('prefill', 'decode_ar', 'decode_dflash') THEN 'ok'
            ELSE 'quarantined'
        END AS stated,
        list_concat(
            coalesce(x.why, []),
            CASE
                WHEN r.phase IN ('prefill', 'decode_ar', 'decode_dflash') THEN []
                ELSE ['phase ' || coalesce(r.phase, 'unknown') || ' is outside the contract']
            END
        ) AS why,
        nullif(gpu, '') AS arch,
        r.provenance.device_index AS device_index,
        r.provenance.visible_devices AS visible,
        nullif(nullif(r.quant, ''), 'unknown') AS quant,
        nullif(nullif(r.model_size, ''), 'unknown') AS model_size,
        shape_bucket,
        r.run_index AS run_index,
        sha AS git_sha,
        git_state,
        lower(r.provenance.diff_md5) AS diff_md5,
        r.provenance.tree_md5 AS tree_md5,
        nullif(nullif(lower(r.provenance.binary_md5), ''), 'unknown') AS binary_md5,
        r.provenance.binary_path AS binary_path,
        nullif(array_to_string(coalesce(r.command, p.run.command), ' '), '') AS command,
        coalesce(
            p.context.binary.kind <> 'elf',
            regexp_matches(
                coalesce(r.command, p.run.command)[1],
                '(^|/)((ba|da|z|k)?sh|env|python[0-9.]*|perl|[^/]*\.(sh|py|pl|bash))$'
            )
        ) AS is_script,
        r.provenance.code_objects_sha256 AS code_objects,
        r.provenance.hip_version AS hip_version,
        r.provenance.rocm_version AS rocm_version,
        nullif(model_path, '') AS model_path,
        coalesce(r.model.bytes, TRY_CAST(said['model_bytes'] AS BIGINT)) AS model_bytes,
        nullif(nullif(lower(coalesce(r.model.md5, r.artifacts.target_md5)), ''), 'unknown') AS model_md5,
        nullif(nullif(lower(r.artifacts.draft_md5), ''), 'unknown') AS draft_md5,
        nullif(nullif(lower(r.artifacts.prompt_md5), ''), 'unknown') AS prompt_md5,
        nullif(kv_mode, '') AS kv_mode,
        env,
        profiled,
        coalesce(r.tags, []) AS tags,
        metric,
        metrics[metric] AS value,
        metrics,
        CAST(coalesce(len(r.artifacts.profile_kernels), 0) AS INTEGER) AS kernels,
        p.supersedes AS supersedes,
        coalesce(p.parser.version, 0) AS parser_version,
        coalesce(
            p.session_id,
            md5(concat_ws(chr(31), p.source.file_sha256, measured_on, CAST(captured AS DATE)))
        ) AS session,
        r.provenance.binary_mtime_us AS binary_mtime_us,
        r.provenance.committed_us AS committed_us,
        p.context.git.root AS git_root,
        nullif(r.artifacts.draft, '') AS draft_path,
        nullif(r.artifacts.prompt_file, '') AS prompt_file,
        lower(coalesce(p.context.prompt.file_md5, r.artifacts.prompt_md5)) AS prompt_file_md5,
        p.context.code_objects.folder AS objects_folder
    FROM judged
),
keyed AS (
    SELECT
        *,
        md5_number_lower(concat_ws(chr(31),
            host, coalesce(prompt_md5, ''), coalesce(model_md5, model_path || ':' || model_bytes, ''),
            coalesce(draft_md5, ''), coalesce(arch, ''), coalesce(device_index::VARCHAR, ''),
            coalesce(visible, ''), coalesce(quant, ''), phase, coalesce(shape_bucket, ''),
            coalesce(kv_mode, ''), profiled, array_to_string(env, chr(30))
        )) AS workload_key,
        md5_number_lower(concat_ws(chr(31),
            coalesce(git_sha, ''), coalesce(diff_md5, ''), coalesce(tree_md5, ''),
            coalesce(binary_md5, ''), coalesce(code_objects, ''), coalesce(hip_version, ''),
            coalesce(rocm_version, '')
        )) AS treatment_key
    FROM typed
)
SELECT
    *,
    md5_number_lower(concat_ws(chr(31), workload_key, treatment_key, session)) AS series_key,
    list_filter([
        CASE WHEN git_sha IS NULL THEN 'git_sha' END,
        CASE WHEN git_state = 'unknown' THEN 'git_state' END,
        CASE WHEN git_state = 'dirty' AND diff_md5 IS NULL THEN 'diff_md5' END,
        CASE WHEN binary_md5 IS NULL THEN 'binary_md5' END,
        CASE WHEN model_md5 IS NULL THEN 'model_md5' END,
        CASE WHEN workload_kind = 'dflash' AND prompt_md5 IS NULL THEN 'prompt_md5' END,
        CASE WHEN arch IS NULL THEN 'arch' END,
        CASE WHEN captured_us IS NULL THEN 'date' END,
        CASE WHEN shape_bucket IS NULL THEN 'shape_bucket' END
    ], lambda f: f IS NOT NULL) AS missing
FROM keyed
