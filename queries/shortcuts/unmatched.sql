-- summary: Hot kernels that no inspected object of their row has: widen what is inspected before reading a fit.
-- grain: arch, phase, kernel
-- columns: arch        GPU architecture
--          phase       phase of the profiled rows
--          kernel      name
--          rows        profiles without an object for it
--          pct         share of the profile, percent: median
--          has_isa     any of these rows has inspected objects at all
--          newest_row  the newest of the rows
-- param: arch VARCHAR = NULL  only this architecture
-- param: limit INTEGER = 50  at most so many
-- example: atlas query unmatched --arch gfx1201
WITH hot AS (
    SELECT f.row_id, f.arch, f.phase, f.scope <> 'none' AS has_isa, unnest(f.hot) AS h FROM fit f
)
SELECT
    t.arch,
    t.phase,
    t.h.kernel AS kernel,
    count(*) AS rows,
    median(t.h.pct) AS pct,
    bool_or(t.has_isa) AS has_isa,
    arg_max(t.row_id, {t: r.recorded_us, r: t.row_id}) AS newest_row
FROM hot t JOIN rows r USING (row_id)
WHERE NOT t.h.matched AND ($arch IS NULL OR t.arch = $arch)
GROUP BY t.arch, t.phase, t.h.kernel
ORDER BY pct DESC NULLS LAST, t.arch, t.phase, kernel
LIMIT $limit
