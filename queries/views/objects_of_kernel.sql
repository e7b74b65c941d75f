-- summary: The code objects of a row that hold a kernel, each with what is told about that kernel alone.
-- grain: path, md5, arch
-- columns: path     where the object lay
--          md5      digest of the object
--          arch     processor
--          kernels  the kernel in its images, in the words of an ISA manifest
-- param: row_id VARCHAR  the row
-- param: kernel VARCHAR  name of the kernel
SELECT
    coalesce(m.path, k.path) AS path,
    k.md5,
    k.arch,
    list({
        name: k.kernel, vgpr_count: k.vgpr, agpr_count: k.agpr, sgpr_count: k.sgpr,
        vgpr_spill_count: k.vgpr_spills, sgpr_spill_count: k.sgpr_spills,
        group_segment_fixed_size: k.lds, private_segment_fixed_size: k.scratch,
        wavefront_size: k.wavefront, max_flat_workgroup_size: k.workgroup
    } ORDER BY k.image, k.position) AS kernels
FROM isa_of_row(_row_id := $row_id) r
JOIN isa_members m ON m.set_id = r.set_id
JOIN isa_kernels k ON k.event_id = m.event_id AND k.entry = m.entry AND k.image = m.image
WHERE k.kernel = $kernel
GROUP BY ALL
ORDER BY path, k.md5, k.arch
