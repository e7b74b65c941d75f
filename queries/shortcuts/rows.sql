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
WITH picked AS (
    SELECT h.event_id, h.ordinal, h.series_key, h.recorded_us, h.origin, h.seq
    FROM row_heads h
    WHERE ($arch IS NULL OR h.arch = $arch)
      AND ($phase IS NULL OR h.phase = $phase)
      AND ($host IS NULL OR h.host = $host)
      AND ($quant IS NULL OR h.quant = $quant)
      AND ($git_sha IS NULL OR starts_with(h.git_sha, $git_sha))
    ORDER BY h.recorded_us DESC, h.origin, h.seq DESC, h.ordinal DESC
    LIMIT $limit
)
SELECT
    m.row_id,
    make_timestamp(coalesce(m.captured_us, m.recorded_us)) AS captured,
    m.host,
    m.arch,
    m.phase,
    m.quant,
    m.shape_bucket,
    m.git_sha[:10] AS git_sha,
    m.metric,
    m.value,
    m.stated AS status,
    evidence_of(m.missing, m.stated, is_repeated(p.series_key)) AS evidence,
    CASE WHEN m.profiled THEN list_distinct(list_append(m.tags, 'profiled')) ELSE m.tags END AS tags
FROM picked p JOIN measurement m USING (event_id, ordinal)
ORDER BY p.recorded_us DESC, p.origin, p.seq DESC, p.ordinal DESC
