-- summary: Kernels of inspected code objects: registers, memory, instructions.
-- grain: kernel, arch, vgpr, sgpr, spills, lds, scratch, waves, instructions, matrix, valu, vmem, loops, code, path
-- columns: kernel        name
--          arch          processor
--          vgpr          vector registers
--          sgpr          scalar registers
--          spills        spilled registers
--          lds           bytes of local memory
--          scratch       bytes of private memory per work item
--          waves         static limit of waves on a SIMD from registers, not measured occupancy
--          instructions  instructions, padding left out
--          matrix        matrix instructions
--          valu          vector arithmetic, dot products included
--          vmem          vector memory instructions
--          loops         innermost loops
--          code          digest of its code, shortened
--          path          where its object lay
-- param: name VARCHAR = NULL  part of the name
-- param: arch VARCHAR = NULL  only this processor
-- param: limit INTEGER = 50  at most so many
-- example: atlas query kernels --name gemv --arch gfx1100
SELECT DISTINCT
    kernel,
    arch,
    vgpr,
    sgpr,
    spills,
    lds,
    scratch,
    waves,
    instructions,
    CAST(coalesce(mix['matrix'], 0) AS BIGINT) AS matrix,
    CAST(coalesce(mix['valu'], 0) AS BIGINT) + coalesce(mix['dot'], 0) AS valu,
    CAST(coalesce(mix['vmem'], 0) AS BIGINT) AS vmem,
    loops,
    code[:12] AS code,
    path
FROM isa_kernels
WHERE ($name IS NULL OR contains(lower(kernel), lower($name)))
  AND ($arch IS NULL OR arch = $arch)
ORDER BY
    kernel, arch, path, code, instructions, vgpr, sgpr, spills, lds, scratch, matrix, valu, vmem, loops, waves
LIMIT $limit
