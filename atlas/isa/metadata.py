"""What a code object says about its kernels: the AMDGPU note, e_flags and kernel descriptors."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgpack

from atlas.isa.problem import MAX_NOTE_BYTES, ObjectProblem
from atlas.isa.processors import PROCESSOR_OF_FLAG
from ledger.finding import Finding

if TYPE_CHECKING:
    from atlas.isa.elf import Elf

NOTE_METADATA = 32
NOTE_METADATA_V2 = 10
DESCRIPTOR_BYTES = 64

_MAX_CONTAINERS = 1 << 18
_CODE_OBJECT_OF_ABI = {0: 2, 1: 3, 2: 4, 3: 5, 4: 6}
_DESCRIPTOR = struct.Struct("<III4xq20xIIIHH4x")

KERNEL_FIELDS = (
    "vgpr_count",
    "agpr_count",
    "sgpr_count",
    "vgpr_spill_count",
    "sgpr_spill_count",
    "group_segment_fixed_size",
    "private_segment_fixed_size",
    "kernarg_segment_size",
    "max_flat_workgroup_size",
    "reqd_workgroup_size",
    "wavefront_size",
    "workgroup_processor_mode",
    "uses_dynamic_stack",
)
"""Keys of a kernel's note entry (there with a dot in front) that become facts."""


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A 64-byte kernel descriptor; sizes in bytes.

    Attributes:
        entry_offset: where the code starts, relative to the descriptor.
        vgpr_blocks: granulated VGPR count (0 means one granule).
        accum_offset: first AGPR in the unified register file (gfx90a and later).
        wave32: the wavefront-size-32 bit.
    """

    group_size: int
    private_size: int
    kernarg_size: int
    entry_offset: int
    vgpr_blocks: int
    sgpr_blocks: int
    accum_offset: int
    wave32: bool
    workgroup_processor_mode: bool
    dynamic_stack: bool


@dataclass(slots=True)
class Metadata:
    """The note of one code object.

    Attributes:
        code_object_version: 2 to 6, by the ABI version of the file; None when unknown.
        target: ``amdgcn-amd-amdhsa--gfx90a:xnack-`` as noted, or as e_flags say.
        processor: ``gfx90a``.
        kernels: entries of ``amdhsa.kernels`` as they stand.
        noted: whether there was a readable note.
        warnings: what is odd about it and did not stop the reading.
    """

    code_object_version: int | None = None
    target: str = ""
    processor: str = ""
    kernels: list[dict[str, Any]] = field(default_factory=list)
    noted: bool = False
    warnings: list[Finding] = field(default_factory=list)


def read_descriptor(data: memoryview) -> Descriptor | None:
    """Unpack a kernel descriptor; None when the bytes are not all there."""
    if len(data) < DESCRIPTOR_BYTES:
        return None
    raw = _DESCRIPTOR.unpack_from(data)
    group, private, kernarg, entry, rsrc3, rsrc1, _rsrc2, properties, _preload = raw
    return Descriptor(
        group_size=group,
        private_size=private,
        kernarg_size=kernarg,
        entry_offset=entry,
        vgpr_blocks=rsrc1 & 63,
        sgpr_blocks=rsrc1 >> 6 & 15,
        accum_offset=((rsrc3 & 63) + 1) * 4,
        wave32=bool(properties >> 10 & 1),
        workgroup_processor_mode=bool(rsrc1 >> 29 & 1),
        dynamic_stack=bool(properties >> 11 & 1),
    )


def read_metadata(file: Elf, found: Metadata) -> None:
    """Fill in the note, with the target taken from e_flags where the note names none.

    What e_flags say is filled in first, so that it is there even when the note is damaged.

    Raises:
        ObjectProblem: ``metadata_msgpack`` (damaged, or beyond the limits), ``metadata_v2``.
    """
    if file.os_abi == 64:
        found.code_object_version = _CODE_OBJECT_OF_ABI.get(file.abi_version)
    found.processor, found.target = target_of_flags(file.flags, found.code_object_version)
    for note in file.notes():
        if note.owner == "AMDGPU" and note.kind == NOTE_METADATA:
            _take_note(_unpack(note.payload, found), found)
            break
        if note.owner == "AMD" and note.kind == NOTE_METADATA_V2:
            message = "A code object of version 2: its YAML note is not read."
            raise ObjectProblem("metadata_v2", message)


def target_of_flags(flags: int, version: int | None) -> tuple[str, str]:
    """Processor and full target id that e_flags name; both empty for an unknown processor.

    Version 3 has one bit each for xnack (0x100) and sramecc (0x200); later versions have two:
    1 any, 2 off, 3 on.
    """
    processor = PROCESSOR_OF_FLAG.get(flags & 0xFF, "")
    if not processor:
        return "", ""
    if version == 3:
        states = (("sramecc", 3 * (flags >> 9 & 1)), ("xnack", 3 * (flags >> 8 & 1)))
    else:
        states = (("sramecc", flags >> 10 & 3), ("xnack", flags >> 8 & 3))
    features = [f":{name}{'-' if state == 2 else '+'}" for name, state in states if state > 1]
    return processor, f"amdgcn-amd-amdhsa--{processor}{''.join(features)}"


def _take_note(note: object, found: Metadata) -> None:
    if not isinstance(note, dict):
        raise ObjectProblem("metadata_msgpack", "The metadata note is no map.")
    found.noted = True
    target = note.get("amdhsa.target")
    if isinstance(target, str):
        found.target = target
        at = target.find("gfx")
        found.processor = target[at:].split(":")[0] if at >= 0 else found.processor
    kernels = note.get("amdhsa.kernels", [])
    if not isinstance(kernels, list) or not all(isinstance(kernel, dict) for kernel in kernels):
        raise ObjectProblem("metadata_msgpack", "amdhsa.kernels is no list of maps.")
    found.kernels = kernels


def _unpack(payload: memoryview, found: Metadata) -> object:
    """Unpack a note within limits; zero padding may follow, anything else may not."""
    if len(payload) > MAX_NOTE_BYTES:
        message = f"A metadata note of {len(payload)} bytes; at most {MAX_NOTE_BYTES} are read."
        raise ObjectProblem("metadata_msgpack", message)
    budget = iter(range(_MAX_CONTAINERS))

    def count(container: Any) -> Any:
        if next(budget, None) is None:
            raise ValueError("too many lists and maps")
        return container

    try:
        unpacker = msgpack.Unpacker(
            max_buffer_size=MAX_NOTE_BYTES,
            strict_map_key=False,
            unicode_errors="backslashreplace",
            object_hook=count,
            list_hook=count,
        )
        unpacker.feed(payload)
        note: object = unpacker.unpack()
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        raise ObjectProblem("metadata_msgpack", f"The metadata note: {error!r}.") from error
    if any(payload[unpacker.tell() :]):
        found.warnings.append(
            Finding("metadata_trailing", f"{len(payload) - unpacker.tell()} bytes behind the note.")
        )
    return note
