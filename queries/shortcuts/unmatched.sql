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
WITH isa AS MATERIALIZED (
    FROM isa_of_row()
),
spelling AS (
    SELECT DISTINCT set_id, arch, unnest(spelled) AS name FROM fit_scope()
),
hot AS (
    SELECT row_id, arch, phase, recorded_us, kernel, sum(pct) AS pct
    FROM profile_kernels
    WHERE $arch IS NULL OR arch = $arch
    GROUP BY ALL
)
SELECT
    h.arch,
    h.phase,
    h.kernel,
    count(*) AS rows,
    median(h.pct) AS pct,
    bool_or(i.row_id IS NOT NULL) AS has_isa,
    arg_max(h.row_id, {t: h.recorded_us, r: h.row_id}) AS newest_row
FROM hot h
LEFT JOIN isa i ON i.row_id = h.row_id
LEFT JOIN spelling s ON s.set_id = i.set_id AND s.arch IS NOT DISTINCT FROM i.arch
    AND s.name = regexp_replace(h.kernel, '\.kd$', '')
WHERE s.name IS NULL
GROUP BY h.arch, h.phase, h.kernel
ORDER BY pct DESC NULLS LAST, h.arch, h.phase, h.kernel
LIMIT $limit
