-- summary: What kernels cost beside what they are made of: times of profiled rows by the code that was in the objects they name. A kernel with several codes in one row is left out: which ran is not known.
-- grain: arch, quant, phase, shape_bucket, kernel, vgpr, sgpr, spills, lds
-- columns: arch          GPU architecture
--          phase         phase of the profiled rows
--          quant         quantisation
--          shape_bucket  shape of the work
--          kernel        name
--          vgpr          vector registers
--          sgpr          scalar registers
--          spills        spilled registers
--          lds           bytes of local memory
--          waves         static limit of waves on a SIMD from registers, not measured occupancy
--          rows          profiles it stands in
--          avg_us        time per launch, microseconds: median over those
--          pct           share of the profile, percent: median
--          example_row   one of the rows
-- param: kernel VARCHAR = NULL  part of the name
-- param: arch VARCHAR = NULL  only this architecture
-- param: limit INTEGER = 50  at most so many
-- example: atlas query isa-outcome --kernel gemv
SELECT
    f.arch,
    f.phase,
    f.quant,
    f.shape_bucket,
    h.kernel,
    h.vgpr,
    h.sgpr,
    h.spills,
    h.lds,
    any_value(h.waves) AS waves,
    count(*) AS rows,
    median(h.avg_us) AS avg_us,
    median(h.pct) AS pct,
    max(f.row_id) AS example_row
FROM (SELECT row_id, arch, phase, quant, shape_bucket, unnest(hot) AS h FROM fit) f
WHERE h.matched AND h.variants = 1
  AND ($kernel IS NULL OR contains(lower(h.kernel), lower($kernel)))
  AND ($arch IS NULL OR f.arch = $arch)
GROUP BY f.arch, f.phase, f.quant, f.shape_bucket, h.kernel, h.vgpr, h.sgpr, h.spills, h.lds
ORDER BY f.arch, h.kernel, f.phase, f.quant, f.shape_bucket, avg_us, h.vgpr, h.sgpr, h.spills, h.lds
LIMIT $limit
