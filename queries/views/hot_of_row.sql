-- summary: Kernels of one row's profile, hottest first, each once, with their operation.
-- grain: kernel
-- columns: kernel  name
--          op      family, role and phase hint
-- param: row_id VARCHAR  the row
SELECT
    kernel,
    arg_min({family: family, role: role, phase_hint: phase_hint}, position) AS op
FROM profile_kernels
WHERE row_id = $row_id
GROUP BY kernel
ORDER BY sum(pct) DESC NULLS LAST, sum(total_ms) DESC NULLS LAST, min(position)
