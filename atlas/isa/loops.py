"""Innermost loop bodies, from branches that go backwards.

A loop reaches from the target of a backward branch to that branch. Branches with the same target
are one loop; loops that overlap without one holding the other are taken together. Jumps
through registers (``s_setpc``) are not followed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Any

from atlas.isa.mix import count_categories, count_opcodes
from atlas.isa.problem import MAX_LOOPS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atlas.isa.decoder import Listing
    from atlas.isa.tables import Entry

_BRANCHES = ("s_branch", "s_cbranch_")
_NOT_RELATIVE = "s_cbranch_g_fork"


def innermost_loops(listing: Listing, kinds: Iterable[Entry]) -> list[dict[str, Any]]:
    """Loops that hold no other loop, in address order, at most ``MAX_LOOPS`` of them.

    Args:
        listing: the code of one function.
        kinds: its distinct entries.

    Returns:
        Per loop ``start`` and ``end`` (bytes from the start of the code, end exclusive),
        ``code_bytes``, ``instruction_count`` and ``category_counts``.
    """
    ranges = _merged(_innermost(_ranges(listing, kinds)))
    return [_loop(listing, start, end) for start, end in ranges[:MAX_LOOPS]]


def _ranges(listing: Listing, kinds: Iterable[Entry]) -> list[tuple[int, int]]:
    """Start and end of every loop, nested ones included; one per target."""
    branches = {entry for entry in kinds if _is_branch(entry[0])}
    ends: dict[int, int] = {}
    if not branches:
        return []
    places = [index for index, entry in enumerate(listing.entries) if entry in branches]
    for index in places:
        offset = listing.offsets[index]
        end = offset + listing.entries[index][1]
        distance = listing.words[offset // 4] & 0xFFFF
        target = end + (distance - 0x10000) * 4
        if distance >= 0x8000 and target >= 0:
            ends[target] = max(ends.get(target, 0), end)
    return sorted(ends.items())


def _is_branch(opcode: str | None) -> bool:
    return opcode is not None and opcode.startswith(_BRANCHES) and opcode != _NOT_RELATIVE


def _innermost(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges that contain no other; ``ranges`` are sorted and differ in their starts."""
    kept: list[tuple[int, int]] = []
    nearest_end: int | None = None
    for start, end in reversed(ranges):
        if nearest_end is None or end < nearest_end:
            kept.append((start, end))
            nearest_end = end
    return kept[::-1]


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _loop(listing: Listing, start: int, end: int) -> dict[str, Any]:
    first, last = bisect_left(listing.offsets, start), bisect_left(listing.offsets, end)
    opcodes = count_opcodes(Counter(listing.entries[first:last]))
    return {
        "start": start,
        "end": end,
        "code_bytes": end - start,
        "instruction_count": opcodes.total(),
        "category_counts": dict(sorted(count_categories(opcodes).items())),
    }
