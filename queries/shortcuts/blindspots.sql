-- summary: GPU time that the engine's own profile does not see, worst coverage first.
-- grain: row_id, kernel
-- columns: row_id        identity of the row
--          arch          GPU architecture
--          phase         phase
--          coverage_pct  share of rocprof's time that the engine's profile explains
--          reading       high coverage, investigate, or attribution not to be trusted
--          kernel        kernel the engine didn't see; empty if none was listed
--          calls         its launches
--          total_ms      time in all its launches, milliseconds
--          pct           share of rocprof's total, percent
-- param: arch VARCHAR = NULL  only this architecture
-- param: limit INTEGER = 50  at most so many
-- example: atlas query blindspots
WITH unseen AS (
    SELECT event_id, ordinal, kernel, sum(calls)::BIGINT AS calls, sum(total_ms) AS total_ms, sum(pct) AS pct
    FROM blindspot GROUP BY event_id, ordinal, kernel
)
SELECT
    c.row_id,
    c.arch,
    c.phase,
    c.coverage_pct,
    c.reading,
    b.kernel,
    b.calls,
    b.total_ms,
    b.pct
FROM coverage c
LEFT JOIN rows r ON r.row_id = c.row_id
LEFT JOIN unseen b ON b.event_id = r.event_id AND b.ordinal = r.ordinal
WHERE $arch IS NULL OR c.arch = $arch
ORDER BY c.coverage_pct, c.row_id, b.total_ms DESC NULLS LAST
LIMIT $limit
