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
WITH newest AS (
    SELECT
        h.workload_key,
        arg_max(
            {e: h.event_id, o: h.ordinal, s: h.series_key},
            {c: coalesce(h.captured_us, h.recorded_us), r: h.recorded_us, e: h.event_id, o: h.ordinal}
        ) AS it,
        max(coalesce(h.captured_us, h.recorded_us)) AS captured_us
    FROM row_heads h
    WHERE ($arch IS NULL OR h.arch = $arch)
      AND ($host IS NULL OR h.host = $host)
      AND h.status = 'ok'
    GROUP BY h.workload_key
    ORDER BY captured_us DESC, it
    LIMIT $limit
)
SELECT
    m.row_id,
    make_timestamp(n.captured_us) AS captured,
    m.host,
    m.arch,
    m.workload,
    m.phase,
    m.quant,
    m.shape_bucket,
    m.kv_mode,
    m.git_sha[:10] AS git_sha,
    m.metric,
    m.value,
    evidence_of(m.missing, m.stated, is_repeated(n.it.s)) AS evidence
FROM newest n
JOIN measurement m ON m.event_id = n.it.e AND m.ordinal = n.it.o
ORDER BY captured DESC, m.row_id
