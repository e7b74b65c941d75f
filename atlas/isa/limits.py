"""How many waves fit on a SIMD by their vector registers alone.

A static limit from registers, not measured occupancy: local memory, workgroup size, scalar
registers and what the launch asks for can only lower it.
"""

from __future__ import annotations

from atlas.isa.reference import register_file


def static_wave_limit(
    processor: str, wavefront_size: int | None, vgprs: int | None
) -> dict[str, int] | None:
    """Waves per SIMD, at most, for a kernel of ``vgprs`` vector registers.

    waves = min(max, max(1, floor(registers / roundup(vgprs, granule)))). On processors with a
    unified file, ``vgprs`` counts vector and accumulation registers together, as notes do.

    Returns:
        ``{"waves_per_simd", "max_waves_per_simd"}``, or None where something is unknown.
    """
    if vgprs is None or wavefront_size is None:
        return None
    file = register_file(processor, wavefront_size)
    if file is None:
        return None
    taken = -(-vgprs // file.granule) * file.granule
    waves = max(1, file.registers // taken) if taken else file.max_waves
    return {"waves_per_simd": min(file.max_waves, waves), "max_waves_per_simd": file.max_waves}
