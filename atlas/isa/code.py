"""The bytes of one function → digest, counts and loops.

The same code stands in many files (a function shared by kernels, a kernel shared by builds), so
what was read is remembered by its digest.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from atlas.isa.decoder import Decoder, Listing
from atlas.isa.loops import innermost_loops
from atlas.isa.mix import count_mix, count_opcodes
from atlas.isa.tables import table_for

if TYPE_CHECKING:
    from atlas.isa.tables import Table

_PADDING = frozenset({"s_code_end", "s_nop", "v_illegal", None})
_REMEMBERED = 1 << 12


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """What the code of one function is made of.

    Attributes:
        size: bytes, without padding where that was to be trimmed.
        sha256: digest of these bytes; None when they were not read.
        opcodes: instructions by opcode.
        undecoded: dwords that are no instruction; all 0 and empty where there is no table.
        loops: innermost loop bodies.
        mix: ``opcodes`` counted by opcode, base opcode and category.
    """

    size: int
    sha256: str | None
    opcodes: Counter[str]
    undecoded: int
    loops: list[dict[str, Any]]
    mix: dict[str, Any]


class CodeReader:
    """Reads code for one processor, each distinct function once."""

    def __init__(self, table: Table | None) -> None:
        self._decoder = Decoder(table) if table else None
        self._known: dict[tuple[bytes, bool], CodeFacts] = {}

    def read(self, code: memoryview, *, trim: bool) -> CodeFacts:
        """Facts about ``code``; with ``trim`` the padding at its end is no part of it."""
        key = hashlib.sha256(code).digest(), trim
        facts = self._known.get(key)
        if facts is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            facts = self._known[key] = self._read(code, trim=trim)
        return facts

    def _read(self, code: memoryview, *, trim: bool) -> CodeFacts:
        if self._decoder is None:
            return without_listing(code, hashlib.sha256(code).hexdigest())
        listing = self._decoder.decode(code)
        if trim:
            listing = without_padding(listing)
            code = code[: listing.size]
        counts = Counter(listing.entries)
        opcodes = count_opcodes(counts)
        return CodeFacts(
            size=len(code),
            sha256=hashlib.sha256(code).hexdigest(),
            opcodes=opcodes,
            undecoded=len(listing.entries) - opcodes.total(),
            loops=innermost_loops(listing, counts),
            mix=count_mix(opcodes),
        )


def without_listing(code: memoryview, sha256: str | None) -> CodeFacts:
    """Facts about code that is not decoded."""
    nothing: Counter[str] = Counter()
    return CodeFacts(len(code), sha256, nothing, 0, [], count_mix(nothing))


@cache
def reader_for(processor: str) -> CodeReader | None:
    """The reader of a processor, with what it remembers; None when there is no table."""
    table = table_for(processor)
    return CodeReader(table) if table else None


def without_padding(listing: Listing) -> Listing:
    """The listing without the padding at its end: hints, zeros, what does not decode."""
    count = len(listing.entries)
    while count and (
        listing.entries[count - 1][0] in _PADDING
        or not listing.words[listing.offsets[count - 1] // 4]  # zeros are a v_cndmask on gfx9
    ):
        count -= 1
    return Listing(listing.entries[:count], listing.words)
