-- summary: Kernels that take the most time, over the profiles of each architecture and phase.
-- grain: arch, phase, kernel
-- columns: arch       GPU architecture
--          phase      phase of the profiled rows
--          kernel     name
--          rows       profiles it stands in
--          pct        share of the profile, percent: median over those
--          avg_us     time per launch, microseconds: median
--          calls      launches: median
--          total_ms   time in all launches, milliseconds: median
--          gib_s      bandwidth, GiB/s: median
--          family     operation family
--          role       operation role
--          newest_row the newest row it stands in
-- param: arch VARCHAR = NULL  only this architecture
-- param: phase VARCHAR = NULL  only this phase
-- param: host VARCHAR = NULL  only this host
-- param: quant VARCHAR = NULL  only this quantisation
-- param: limit INTEGER = 20  at most so many
-- example: atlas query hot-kernels --arch gfx1151
SELECT
    k.arch,
    k.phase,
    k.kernel,
    count(*) AS rows,
    median(k.pct) AS pct,
    median(k.avg_us) AS avg_us,
    median(k.calls) AS calls,
    median(k.total_ms) AS total_ms,
    median(k.gib_s) AS gib_s,
    any_value(k.family) AS family,
    any_value(k.role) AS role,
    arg_max(k.row_id, {t: k.recorded_us, r: k.row_id}) AS newest_row
FROM profile_kernels k
WHERE ($arch IS NULL OR k.arch = $arch)
  AND ($phase IS NULL OR k.phase = $phase)
  AND ($host IS NULL OR k.host = $host)
  AND ($quant IS NULL OR k.quant = $quant)
GROUP BY k.arch, k.phase, k.kernel
ORDER BY pct DESC NULLS LAST, total_ms DESC, k.arch, k.phase, k.kernel
LIMIT $limit
