-- summary: The newest measurement of every configuration: one line each.
-- grain: row_id
-- columns: row_id        identity of the row
--          captured      when it was measured, UTC
--          host          host
--          arch          GPU architecture
--          workload      name of the workload
--          phase         phase
--          quant         quantisation
--          shape_bucket  shape of the work
--          kv_mode       KV cache mode
--          git_sha       commit, shortened
--          metric        headline metric
--          value         its value
--          evidence      measured or exploratory
-- param: arch VARCHAR = NULL  only this architecture
-- param: host VARCHAR = NULL  only this host
-- param: limit INTEGER = 50  at most so many
-- example: atlas query latest --arch gfx1100
SELECT
    r.row_id,
    make_timestamp(coalesce(r.captured_us, r.recorded_us)) AS captured,
    r.host,
    r.arch,
    r.workload,
    r.phase,
    r.quant,
    r.shape_bucket,
    r.kv_mode,
    r.git_sha[:10] AS git_sha,
    r.metric,
    r.value,
    r.evidence
FROM rows r
WHERE ($arch IS NULL OR r.arch = $arch)
  AND ($host IS NULL OR r.host = $host)
  AND r.status = 'ok'
QUALIFY row_number() OVER (
    PARTITION BY r.workload_key
    ORDER BY coalesce(r.captured_us, r.recorded_us) DESC, r.recorded_us DESC, r.origin, r.seq DESC
) = 1
ORDER BY captured DESC, r.row_id
LIMIT $limit
