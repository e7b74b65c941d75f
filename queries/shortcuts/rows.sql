-- summary: Measurements, newest first.
-- grain: row_id
-- columns: row_id        identity of the row
--          captured      when it was measured, UTC
--          host          host
--          arch          GPU architecture
--          phase         phase
--          quant         quantisation
--          shape_bucket  shape of the work
--          git_sha       commit, shortened
--          metric        headline metric
--          value         its value
--          status        ok, partial or quarantined
--          evidence      measured or exploratory
--          tags          cold, profiled, BLINDSPOT …
-- param: arch VARCHAR = NULL  only this architecture
-- param: phase VARCHAR = NULL  only this phase
-- param: host VARCHAR = NULL  only this host
-- param: quant VARCHAR = NULL  only this quantisation
-- param: git_sha VARCHAR = NULL  only this commit (a prefix is enough)
-- param: limit INTEGER = 50  at most so many
-- example: atlas query rows --arch gfx1151 --phase decode_ar
SELECT
    r.row_id,
    make_timestamp(coalesce(r.captured_us, r.recorded_us)) AS captured,
    r.host,
    r.arch,
    r.phase,
    r.quant,
    r.shape_bucket,
    r.git_sha[:10] AS git_sha,
    r.metric,
    r.value,
    r.status,
    r.evidence,
    CASE WHEN r.profiled THEN list_distinct(list_append(r.tags, 'profiled')) ELSE r.tags END AS tags
FROM rows r
WHERE ($arch IS NULL OR r.arch = $arch)
  AND ($phase IS NULL OR r.phase = $phase)
  AND ($host IS NULL OR r.host = $host)
  AND ($quant IS NULL OR r.quant = $quant)
  AND ($git_sha IS NULL OR starts_with(r.git_sha, $git_sha))
ORDER BY r.recorded_us DESC, r.origin, r.seq DESC, r.ordinal DESC
LIMIT $limit
