-- summary: What a fit view says about its row beside the fit: where it comes from, what it measured, what makes it evidence.
-- grain: row_id
-- columns: row_id        the row
--          event_id      its event
--          captured      when it was measured, UTC
--          host          host
--          model_size    size label of the model
--          metric        headline metric
--          metrics       all numeric metrics
--          status        ok, partial or quarantined
--          why           reasons for a status other than ok
--          evidence      measured or exploratory
--          missing       what is missing for it to be evidence
--          profiled      measured with profiling on: tells where time goes, not how fast it is
--          tags          cold, BLINDSPOT …
--          git_sha       commit
--          git_state     clean, dirty or unknown
--          diff_md5      digest of the uncommitted change
--          tree_md5      digest of the changed and untracked files
--          binary_md5    digest of the program
--          code_objects  digest of the code-object folder
--          kv_mode       KV cache mode
-- param: row_id VARCHAR  the row
SELECT
    row_id, event_id, make_timestamp(coalesce(captured_us, recorded_us)) AS captured, host, model_size,
    metric, metrics, status, why, evidence, missing, profiled, tags, git_sha, git_state, diff_md5,
    tree_md5, binary_md5, code_objects, kv_mode
FROM rows
WHERE row_id = $row_id
