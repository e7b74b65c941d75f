"""Machine code → mnemonics and lengths, by table.

Programs repeat their first dwords, so what a first dword means is worked out once and remembered;
encodings whose second dword matters are remembered as a question that is asked again each time.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from atlas.isa.encodings import LITERAL, Family

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from atlas.isa.tables import Entry, Table

    _Question = Callable[[int, int], Entry]

UNDECODED: Entry = (None, 4)
"""A dword that is no instruction in the table: stepped over, and counted."""

_MEMO_LIMIT = 1 << 17
_SUFFIXES = ("_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa")


@dataclass(frozen=True)
class Listing:
    """Instructions in address order.

    Attributes:
        entries: mnemonic and length of each.
        words: the code as dwords, so that operands can be looked up by ``offset // 4``; two zeros
            stand behind its end.
    """

    entries: list[Entry]
    words: Sequence[int]

    @cached_property
    def offsets(self) -> list[int]:
        """Where each instruction starts, in bytes from the start of the code."""
        return [0, *accumulate(length for _, length in self.entries)][:-1]

    @property
    def size(self) -> int:
        """Bytes up to the end of the last instruction."""
        return self.offsets[-1] + self.entries[-1][1] if self.entries else 0


class Decoder:
    """Decodes for one processor; keeps what it has learnt between calls."""

    def __init__(self, table: Table) -> None:
        self._tables = table.entries
        self._memo: dict[int, Entry | _Question] = {}
        self._questions: dict[tuple[str, int, bool], Entry | _Question] = {}
        self._by_top_byte = [
            [
                (family.mask, family.match, family, self._reader_of(family))
                for family in table.families
                if (top << 24 ^ family.match) & family.mask & 0xFF000000 == 0
            ]
            for top in range(256)
        ]

    def decode(self, code: bytes | memoryview) -> Listing:
        """List the instructions of ``code``; never raises, whatever the bytes are.

        Dwords that do not decode, and an instruction cut off by the end, have no mnemonic
        and a length of 4. A rest of fewer than 4 bytes is left out.
        """
        count = len(code) // 4
        words = (*struct.unpack_from(f"<{count}I", code), 0, 0)
        entries: list[Entry] = []
        index = self._list(words, 0, count, entries)
        while index > count:  # the last one is cut off: step over its first dword
            index += 1 - entries.pop()[1] // 4
            entries.append(UNDECODED)
            index = self._list(words, index, count, entries)
        return Listing(entries, words)

    def _list(self, words: Sequence[int], index: int, end: int, entries: list[Entry]) -> int:
        """Append the instructions of dwords ``[index, end)``; returns the dword behind the last."""
        known, add = self._memo.get, entries.append
        while index < end:
            found = known(words[index]) or self._learn(words[index])
            if found.__class__ is not tuple:
                found = found(words[index + 1], words[index + 2])  # type: ignore[operator] # its class was asked for
            add(found)
            index += found[1] >> 2
        return index

    def _learn(self, word: int) -> Entry | _Question:
        if len(self._memo) >= _MEMO_LIMIT:
            self._memo.clear()
        found = self._memo[word] = self._first(word)
        return found

    def _first(self, word: int) -> Entry | _Question:
        for mask, match, family, read in self._by_top_byte[word >> 24]:
            if word & mask == match:
                return read(family, word)
        return UNDECODED

    def _reader_of(self, family: Family) -> Callable[[Family, int], Entry | _Question]:
        if family.continued:
            return self._continued
        if family.opcode_high and family.opcode_high.dword:
            return self._by_second
        if any(source.dword for source in family.literals):
            return self._by_later_sources
        return self._by_first_sources if family.literals else self._plain

    def _plain(self, family: Family, word: int) -> Entry:
        """An instruction without sources that add dwords."""
        entry = self._named(family, "", word, 0) or UNDECODED
        if entry[0] and family.extra_dwords:
            return entry[0], entry[1] + 4 * family.extra_dwords.of(word, 0)
        return entry

    def _by_first_sources(self, family: Family, word: int) -> Entry:
        """An instruction whose sources in the first dword decide about its length."""
        sources = [word >> source.shift & source.mask for source in family.literals]
        suffix = family.variants.get(sources[0], "")
        entry = self._named(family, suffix, word, 0)
        if entry is None:
            return UNDECODED
        return _with_literal(entry, 8) if LITERAL in sources and not suffix else entry

    def _by_second(self, family: Family, word: int) -> _Question:
        """An instruction with a part of its opcode in the second dword."""
        return lambda second, _third: self._named(family, "", word, second) or UNDECODED

    def _by_later_sources(self, family: Family, word: int) -> Entry | _Question:
        """An instruction whose sources in the second dword decide: the same for an opcode."""
        literal = any(part.of(word, 0) == LITERAL for part in family.literals if not part.dword)
        key = family.name, word & family.opcode_bits, literal
        found = self._questions.get(key)
        if found is None:
            found = self._questions[key] = self._by_sources(family, word, literal=literal)
        return found

    def _by_sources(self, family: Family, word: int, *, literal: bool) -> Entry | _Question:
        """An instruction whose sources in the second dword decide about its length."""
        plain = self._named(family, "", word, 0)
        if plain is None and not family.variants:
            return UNDECODED
        plain = plain or UNDECODED
        longer = _with_literal(plain, 12) if plain[0] else UNDECODED
        if literal:
            return longer
        variants = {
            value: self._named(family, suffix, word, 0) or UNDECODED
            for value, suffix in family.variants.items()
        }
        shifts = [part.shift for part in family.literals if part.dword]

        def ask(second: int, _third: int) -> Entry:
            variant = variants.get(second & 0x1FF)
            if variant:
                return variant
            for shift in shifts:
                if second >> shift & 0x1FF == LITERAL:
                    return longer
            return plain

        return ask

    def _continued(self, family: Family, word: int) -> _Question:
        """A prefix whose meaning depends on the instruction that follows it."""
        alone = self._tables.get("VOP3P", {}).get(word >> 16 & 0x7F, UNDECODED)
        whole = self._tables.get(family.name, {})

        def ask(_second: int, third: int) -> Entry:
            follows = third & 0xFF800800 == 0xD3800800
            return whole.get(third >> 16 & 0x7F, alone) if follows else alone

        return ask

    def _named(self, family: Family, suffix: str, first: int, second: int) -> Entry | None:
        opcode = family.opcode.of(first, second)
        if family.opcode_high:
            high = family.opcode_high.of(first, second)
            opcode |= high << family.opcode.mask.bit_length()
        entry = self._tables.get(family.name + suffix, {}).get(opcode)
        if entry and family.second_opcode:
            other = self._tables[family.name + "_Y"].get(family.second_opcode.of(first, second))
            return (f"{entry[0]} :: {other[0]}", max(entry[1], other[1])) if other else None
        return entry


def _with_literal(entry: Entry, length: int) -> Entry:
    """The entry with one 32-bit constant; some opcodes always carry it already."""
    return entry[0], max(entry[1], length)


@cache
def base_opcode(opcode: str) -> str:
    """The opcode without the encoding it was written in: ``v_add_f32_e64_dpp`` → ``v_add_f32``."""
    return " :: ".join(_base(half) for half in opcode.split(" :: "))


def _base(opcode: str) -> str:
    for suffix in _SUFFIXES:
        if opcode.endswith(suffix):
            return opcode.removesuffix(suffix)
    return opcode
