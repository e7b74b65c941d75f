-- summary: Kernels of the inspected device images, with the static wave limit that follows from their registers: a limit, not measured occupancy.
-- grain: event_id, entry, image, position
-- columns: event_id      the event that describes it
--          entry         row of the event it stands in; -1 when it is not in a row
--          image         image within the object or manifest
--          position      kernel within the image
--          kernel        name
--          arch          processor
--          vgpr          vector registers
--          agpr          accumulation registers
--          sgpr          scalar registers
--          vgpr_spills   spilled vector registers
--          sgpr_spills   spilled scalar registers
--          spills        both together
--          lds           bytes of local memory
--          scratch       bytes of private memory per work item
--          workgroup     largest workgroup
--          wavefront     lanes of a wave
--          waves         waves a SIMD can hold by the kernel's vector registers
--          max_waves     waves it can hold at most
--          code_bytes    size of its code
--          instructions  instructions, padding left out
--          loops         innermost loops
--          mix           instructions by category
--          has_mix       instructions were counted per kernel
--          code          digest of its code
--          symbol        symbol of its descriptor
--          symbols       further names it has
--          md5           digest of the object file
--          path          where the object lay
--          producer      what read it
SELECT
    k.event_id,
    k.entry,
    k.image,
    k.position,
    k.kernel,
    o.arch,
    k.vgpr,
    k.agpr,
    k.sgpr,
    k.vgpr_spills,
    k.sgpr_spills,
    CASE WHEN k.vgpr_spills IS NOT NULL OR k.sgpr_spills IS NOT NULL
        THEN coalesce(k.vgpr_spills, 0) + coalesce(k.sgpr_spills, 0) END AS spills,
    k.lds,
    k.scratch,
    k.workgroup,
    k.wavefront,
    CASE
        WHEN k.vgpr <= 0 THEN w.max_waves
        ELSE least(w.max_waves, greatest(1, w.registers // (((k.vgpr - 1) // w.granule + 1) * w.granule)))
    END AS waves,
    CASE WHEN k.vgpr IS NOT NULL THEN w.max_waves END AS max_waves,
    k.code_bytes,
    k.instructions,
    k.loops,
    k.mix,
    k.has_mix,
    k.code,
    k.symbol,
    k.symbols,
    o.md5,
    o.path,
    o.producer
FROM isa_kernel k
JOIN isa_objects o USING (event_id, entry, image)
LEFT JOIN isa_wave_limits w ON w.arch = o.arch AND w.wavefront_size = k.wavefront
