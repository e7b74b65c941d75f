"""The comparison of two builds as lines of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atlas.isa.diff import Change, KernelDiff

COLUMNS = ("kernel", "arch", "status", "changed")

_NAMES = {
    "vgpr_count": "vgpr",
    "agpr_count": "agpr",
    "sgpr_count": "sgpr",
    "vgpr_spill_count": "vgpr spills",
    "sgpr_spill_count": "sgpr spills",
    "group_segment_fixed_size": "lds",
    "private_segment_fixed_size": "scratch",
    "kernarg_segment_size": "arguments",
    "max_flat_workgroup_size": "workgroup",
    "wavefront_size": "wavefront",
    "code_bytes": "code",
}


def diff_lines(diffs: Iterable[KernelDiff], *, everything: bool) -> Iterator[tuple[Any, ...]]:
    """Kernels that are not identical, or all: name, architecture, status and what changed."""
    for one in diffs:
        if everything or one.status != "identical":
            changes = [
                *(_shown(_NAMES.get(key, key), change) for key, change in one.resources.items()),
                *(_shown(f"{key} instructions", change) for key, change in one.mix.items()),
            ]
            yield one.name, one.arch, one.status, ", ".join(changes)


def _shown(name: str, change: Change) -> str:
    sides = ("?" if side is None else str(side) for side in (change.before, change.after))
    return f"{name} {' -> '.join(sides)}"
