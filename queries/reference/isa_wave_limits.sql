-- summary: Vector registers of one SIMD, from which the static wave limit of a kernel follows.
-- grain: arch, wavefront_size
-- columns: arch            processor, such as gfx1100
--          wavefront_size  32 or 64 lanes
--          registers       vector registers per lane that all waves of a SIMD share
--          granule         registers are handed out in multiples of this
--          max_waves       waves a SIMD can hold, whatever they need
--          unified         whether accumulation registers come out of the same file
SELECT arch, wavefront_size, registers, granule, max_waves, unified
FROM read_csv(
    getvariable('reference_dir') || '/isa_wave_limits.csv',
    header = true,
    columns = {
        'arch': 'VARCHAR', 'wavefront_size': 'INTEGER', 'registers': 'INTEGER',
        'granule': 'INTEGER', 'max_waves': 'INTEGER', 'unified': 'BOOLEAN'
    }
)
