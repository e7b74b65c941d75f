"""A bounds-checked reader of little-endian ELF64 files over a memoryview."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from atlas.isa.problem import (
    MAX_NAME_BYTES,
    MAX_NOTES,
    MAX_SECTIONS,
    MAX_SYMBOLS,
    ObjectProblem,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"\x7fELF"
MACHINE_AMDGPU = 224
TYPE_RELOCATABLE = 1
SECTION_SYMTAB, SECTION_NOTE, SECTION_NOBITS, SECTION_DYNSYM = 2, 7, 8, 11
SEGMENT_NOTE = 4
SYMBOL_OBJECT, SYMBOL_FUNCTION = 1, 2
FLAG_EXECUTABLE = 4

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_NOTE = struct.Struct("<III")


@dataclass(frozen=True, slots=True)
class Section:
    """A section header; sizes and offsets in bytes."""

    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function or object symbol; ``value`` is section-relative in relocatable files."""

    name: str
    kind: int
    section: int
    value: int
    size: int


@dataclass(frozen=True, slots=True)
class Note:
    """A note: owner, type number and payload."""

    owner: str
    kind: int
    payload: memoryview


class Elf:
    """One ELF file; parts are read when asked for.

    Raises:
        ObjectProblem: ``elf_truncated`` whenever a part would lie outside the bytes.
    """

    def __init__(self, data: memoryview) -> None:
        self.data = data
        if len(data) < _HEADER.size or data[4] != 2 or data[5] != 1:
            raise ObjectProblem("elf_truncated", "The file is no complete little-endian ELF64.")
        header = _HEADER.unpack_from(data)
        ident = header[0]
        self.os_abi, self.abi_version = ident[7], ident[8]
        self.kind, self.machine, self.flags = header[1], header[2], header[7]
        self._segments = (header[5], header[9], header[10])
        self._sections = (header[6], header[11], header[12], header[13])

    def part(self, offset: int, size: int, what: str) -> memoryview:
        """Bytes ``[offset, offset + size)``, or the problem that they are not there."""
        if offset + size > len(self.data):
            message = f"{what} reaches to byte {offset + size} of {len(self.data)}."
            raise ObjectProblem("elf_truncated", message)
        return self.data[offset : offset + size]

    @cached_property
    def sections(self) -> list[Section]:
        """All sections with their names."""
        offset, entry_size, count, names_index = self._sections
        if not offset:
            return []
        if entry_size != _SECTION.size:
            raise ObjectProblem("elf_truncated", f"Section headers of {entry_size} bytes.")
        if count == 0:  # more than 65 279 sections: the count stands in the first header
            count = _SECTION.unpack(self.part(offset, _SECTION.size, "Section header"))[5]
        if count > MAX_SECTIONS:
            message = f"{count} sections; at most {MAX_SECTIONS} are read."
            raise ObjectProblem("elf_too_many", message)
        table = self.part(offset, count * _SECTION.size, "The section table")
        raw = list(_SECTION.iter_unpack(table))
        names = b""
        if names_index < len(raw):
            names = bytes(self.part(raw[names_index][4], raw[names_index][5], "Section names"))
        return [Section(_string(names, r[0]), r[1], r[2], r[3], r[4], r[5], r[6]) for r in raw]

    def contents(self, section: Section) -> memoryview:
        """The bytes of a section; none for one that occupies no file space."""
        if section.kind == SECTION_NOBITS:
            return self.data[:0]
        return self.part(section.offset, section.size, f"Section {section.name!r}")

    def section_named(self, name: str) -> Section | None:
        """The first section of that name."""
        return next((section for section in self.sections if section.name == name), None)

    @cached_property
    def symbols(self) -> list[Symbol]:
        """Defined functions and objects of .symtab, else of .dynsym."""
        for kind in (SECTION_SYMTAB, SECTION_DYNSYM):
            for section in self.sections:
                if section.kind == kind:
                    return self._read_symbols(section)
        return []

    def _read_symbols(self, section: Section) -> list[Symbol]:
        table = self.contents(section)
        if len(table) // _SYMBOL.size > MAX_SYMBOLS:
            message = f"{len(table) // _SYMBOL.size} symbols; at most {MAX_SYMBOLS} are read."
            raise ObjectProblem("elf_too_many", message)
        names = b""
        if section.link < len(self.sections):
            names = bytes(self.contents(self.sections[section.link]))
        whole = table[: len(table) // _SYMBOL.size * _SYMBOL.size]
        return [
            Symbol(_string(names, name), info & 15, index, value, size)
            for name, info, _other, index, value, size in _SYMBOL.iter_unpack(whole)
            if info & 15 in {SYMBOL_OBJECT, SYMBOL_FUNCTION} and 0 < index < len(self.sections)
        ]

    def bytes_of(self, symbol: Symbol, size: int, at: int = 0) -> memoryview:
        """``size`` bytes at ``at`` behind the symbol, cut at the end of its section."""
        section = self.sections[symbol.section]
        start = self.offset_in_section(symbol) + at
        body = self.contents(section)
        if start < 0 or start > len(body):
            message = f"Symbol {symbol.name!r} lies outside section {section.name!r}."
            raise ObjectProblem("elf_truncated", message)
        return body[start : start + size]

    def offset_in_section(self, symbol: Symbol) -> int:
        """Where the symbol starts, in bytes from the start of its section."""
        if self.kind == TYPE_RELOCATABLE:
            return symbol.value
        return symbol.value - self.sections[symbol.section].address

    def notes(self) -> Iterator[Note]:
        """Notes of the note sections, or of the note segments when there are none.

        Raises:
            ObjectProblem: ``note_bad_size`` when a note is larger than what holds it.
        """
        areas = [self.contents(part) for part in self.sections if part.kind == SECTION_NOTE]
        found = (note for area in areas or self._note_segments() for note in _notes_in(area))
        yield from islice(found, MAX_NOTES)
        if next(found, None):
            raise ObjectProblem("elf_too_many", f"More than {MAX_NOTES} notes.")

    def _note_segments(self) -> list[memoryview]:
        offset, entry_size, count = self._segments
        if not offset or entry_size != _SEGMENT.size:
            return []
        table = self.part(offset, count * _SEGMENT.size, "The segment table")
        return [
            self.part(raw[2], raw[5], "A note segment")
            for raw in _SEGMENT.iter_unpack(table)
            if raw[0] == SEGMENT_NOTE
        ]


def _notes_in(area: memoryview) -> Iterator[Note]:
    position = 0
    while position + _NOTE.size <= len(area):
        owner_size, size, kind = _NOTE.unpack_from(area, position)
        owner = position + _NOTE.size
        payload = owner + (owner_size + 3) // 4 * 4
        if payload + size > len(area):
            message = f"A note of {size} bytes in an area of {len(area)}."
            raise ObjectProblem("note_bad_size", message)
        text = bytes(area[owner : owner + min(owner_size, 64)]).rstrip(b"\0")
        yield Note(text.decode("ascii", "replace"), kind, area[payload : payload + size])
        position = payload + (size + 3) // 4 * 4


def _string(table: bytes, start: int) -> str:
    """The zero-terminated string at ``start``; odd bytes stay visible as escapes."""
    limit = min(len(table), start + MAX_NAME_BYTES)
    end = table.find(b"\0", start, limit)
    return table[start : limit if end < 0 else end].decode("utf-8", "backslashreplace")
