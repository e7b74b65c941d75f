-- summary: Kernels that spill registers, the worst first, with the largest share any profile gives them.
-- grain: kernel, arch, vgpr_spills, sgpr_spills, vgpr, scratch, code, path
-- columns: kernel       name
--          arch         processor
--          spills       spilled registers
--          vgpr_spills  of them vector registers
--          sgpr_spills  of them scalar registers
--          vgpr         vector registers
--          scratch      bytes of private memory per work item
--          hot_pct      largest share of a profile on that architecture, percent; NULL when no profile has it
--          code         digest of its code, shortened
--          path         where its object lay
-- param: arch VARCHAR = NULL  only this processor
-- param: limit INTEGER = 50  at most so many
-- example: atlas query spills --arch gfx1100
WITH hot AS (
    SELECT regexp_replace(kernel, '\.kd$', '') AS name, arch, max(pct) AS pct FROM profile_kernels GROUP BY ALL
)
SELECT DISTINCT
    k.kernel,
    k.arch,
    k.spills,
    k.vgpr_spills,
    k.sgpr_spills,
    k.vgpr,
    k.scratch,
    h.pct AS hot_pct,
    k.code[:12] AS code,
    k.path
FROM isa_kernels k
LEFT JOIN hot h ON h.name = k.kernel AND h.arch = k.arch
WHERE k.spills > 0 AND ($arch IS NULL OR k.arch = $arch)
ORDER BY hot_pct DESC NULLS LAST, k.spills DESC, k.kernel, k.arch, k.path, code, k.vgpr, k.scratch,
    k.vgpr_spills, k.sgpr_spills
LIMIT $limit
