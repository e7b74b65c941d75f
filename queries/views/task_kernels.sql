-- summary: The hottest profiled kernels of one row.
-- grain: position
-- columns: position    place in the printed table
--          kernel      name
--          calls       launches
--          total_ms    time in all launches, milliseconds
--          avg_us      time per launch, microseconds
--          pct         share of the profile, percent
--          gib_s       bandwidth, GiB/s
--          family      operation family
--          role        operation role
--          phase_hint  phase the operation belongs to
-- param: row_id VARCHAR  the row
-- param: hot_limit INTEGER = 8  at most so many
SELECT
    k.position, k.kernel, k.calls, k.total_ms, k.avg_us, k.pct, k.gib_s, k.family, k.role,
    k.phase_hint
FROM profile_kernels k
WHERE k.row_id = $row_id
ORDER BY k.pct DESC NULLS LAST, k.total_ms DESC NULLS LAST, k.position
LIMIT $hot_limit
