"""Kernel descriptors against the note: the hardware obeys the descriptor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.isa.reference import register_file
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from atlas.isa.metadata import Descriptor, Metadata

_SINCE_WAVE32 = ("gfx10", "gfx11", "gfx12")


def encoding_granule(processor: str, wavefront_size: int) -> int:
    """VGPRs per unit of a descriptor's granulated count: 8 in wave32 and unified files, else 4."""
    file = register_file(processor, wavefront_size)
    return 8 if wavefront_size == 32 or (file and file.unified) else 4


def fields_of_descriptor(descriptor: Descriptor, processor: str) -> dict[str, Any]:
    """What a descriptor says of a kernel without a note; VGPRs are rounded up to the granule."""
    modern = processor.startswith(_SINCE_WAVE32)
    wavefront = 32 if modern and descriptor.wave32 else 64
    facts: dict[str, Any] = {
        "vgpr_count": (descriptor.vgpr_blocks + 1) * encoding_granule(processor, wavefront),
        "group_segment_fixed_size": descriptor.group_size,
        "private_segment_fixed_size": descriptor.private_size,
        "kernarg_segment_size": descriptor.kernarg_size,
        "wavefront_size": wavefront,
        "uses_dynamic_stack": descriptor.dynamic_stack,
        "other": {},
    }
    if modern:
        facts["workgroup_processor_mode"] = descriptor.workgroup_processor_mode
    else:
        facts["sgpr_count"] = (descriptor.sgpr_blocks // 2 + 1) * 16
    return facts


def disagreements(
    name: str, noted: dict[str, Any], descriptor: Descriptor, metadata: Metadata
) -> Iterator[Finding]:
    """Fields in which a kernel's note and descriptor contradict each other."""
    said = fields_of_descriptor(descriptor, metadata.processor)
    for key in (
        "group_segment_fixed_size",
        "private_segment_fixed_size",
        "kernarg_segment_size",
        "wavefront_size",
    ):
        if noted[key] is not None and noted[key] != said[key]:
            message = f"{key}: the note says {noted[key]}, the descriptor {said[key]}."
            yield Finding("descriptor_mismatch", message, name)
    vgprs = noted["vgpr_count"]
    if vgprs is not None and vgprs > said["vgpr_count"]:
        message = f"vgpr_count: the note says {vgprs}, the descriptor at most {said['vgpr_count']}."
        yield Finding("descriptor_mismatch", message, name)
