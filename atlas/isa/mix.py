"""Instructions → counts: by opcode, by base opcode and by category."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from atlas.isa.decoder import base_opcode
from atlas.isa.reference import category_of

if TYPE_CHECKING:
    from atlas.isa.tables import Entry


def count_opcodes(entries: Counter[Entry]) -> Counter[str]:
    """Instructions by opcode; dwords that do not decode are left out."""
    counts: Counter[str] = Counter()
    for (opcode, _), number in entries.items():
        if opcode is not None:
            counts[opcode] += number
    return counts


def count_categories(opcodes: Counter[str]) -> Counter[str]:
    """Instructions by category; a dual instruction counts once, in the category of the pair."""
    counts: Counter[str] = Counter()
    for opcode, number in opcodes.items():
        counts[category_of(opcode)] += number
    return counts


def summary(opcodes: Counter[str], kernel_symbols: list[str]) -> dict[str, Any]:
    """The ``instruction_summary`` of a kernel, function or object."""
    return {"kernel_symbols": kernel_symbols, **count_mix(opcodes)}


def count_mix(opcodes: Counter[str]) -> dict[str, Any]:
    """``instruction_count``, ``opcode_counts``, ``base_opcode_counts``, ``category_counts``."""
    bases: Counter[str] = Counter()
    for opcode, number in opcodes.items():
        bases[base_opcode(opcode)] += number
    return {
        "instruction_count": opcodes.total(),
        "opcode_counts": dict(opcodes),
        "base_opcode_counts": dict(bases),
        "category_counts": dict(count_categories(opcodes)),
    }
