-- summary: What each row was measured with: workload key and treatment, field by field.
-- grain: row_id
-- columns: row_id        the row
--          host          host
--          arch          GPU architecture
--          device_index  index of the device
--          visible       visibility variable's value
--          model_path    where the model lay
--          model_bytes   its size
--          model_md5     its digest
--          draft_md5     digest of the draft model
--          prompt_md5    digest of the prompt
--          quant         quantisation
--          phase         phase
--          shape_bucket  shape of the work
--          kv_mode       KV cache mode
--          profiled      profiling was on
--          env           variables that belong to the workload
--          git_sha       commit
--          git_state     clean, dirty or unknown
--          diff_md5      digest of the uncommitted change
--          tree_md5      digest of the changed and untracked files
--          binary_md5    digest of the program
--          binary_path   where it lay
--          code_objects  digest of the code-object folder
--          hip_version   HIP version printed
--          rocm_version  ROCm version of the host
SELECT
    row_id, host, arch, device_index, visible, model_path, model_bytes, model_md5, draft_md5,
    prompt_md5, quant, phase, shape_bucket, kv_mode, profiled, env, git_sha, git_state, diff_md5,
    tree_md5, binary_md5, binary_path, code_objects, hip_version, rocm_version
FROM rows
