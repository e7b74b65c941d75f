"""Reads the GNU build id from an ELF file's notes: bounds-checked, and never an exception."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAGIC = b"\x7fELF"
_PT_NOTE = 4
_SHT_NOTE = 7
_NT_GNU_BUILD_ID = 3
_MAX_HEADERS = 4096
_MAX_NOTES = 1 << 20
_MAX_ID = 64

# (class 64?) → ELF header tail after e_version, and where type/offset/size/alignment stand in a
# header.
_HEADER = {False: "IIIIHHHHHH", True: "QQQIHHHHHH"}
_PROGRAM = {False: "8I", True: "2I6Q"}
_SECTION = {False: "10I", True: "2I4Q2I2Q"}


def is_elf(path: Path) -> bool:
    """Tell whether a path is a readable regular file that begins as ELF does."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(4) == MAGIC
    except (OSError, ValueError):
        return False


def build_id(path: Path) -> str | None:
    """Read the build id of an ELF file as lower-case hex; None when it has none or is damaged."""
    try:
        with path.open("rb") as stream:
            return next(_build_ids(stream), None)
    except (OSError, ValueError, struct.error):
        return None


def _build_ids(stream: BinaryIO) -> Iterator[str]:
    ident = stream.read(16)
    if ident[:4] != MAGIC or ident[4:6] not in {b"\1\1", b"\1\2", b"\2\1", b"\2\2"}:
        return
    wide = ident[4] == 2
    order = "<" if ident[5] == 1 else ">"
    tail = _unpack(stream, 24, order + _HEADER[wide])
    _, phoff, shoff, _, _, phentsize, phnum, shentsize, shnum, _ = tail
    for offset, size, align in _note_spans(
        stream, (phoff, phentsize, phnum), order + _PROGRAM[wide]
    ):
        yield from _ids_in(_read(stream, offset, size), order, align)
    for offset, size, align in _note_spans(
        stream, (shoff, shentsize, shnum), order + _SECTION[wide]
    ):
        yield from _ids_in(_read(stream, offset, size), order, align)


def _note_spans(
    stream: BinaryIO, table: tuple[int, int, int], layout: str
) -> Iterator[tuple[int, int, int]]:
    """Yield (offset, size, alignment) of the note parts in a table (offset, entry size, count)."""
    start, entry, count = table
    if entry < struct.calcsize(layout):
        return
    for number in range(min(count, _MAX_HEADERS)):
        fields = _unpack(stream, start + number * entry, layout)
        if len(fields) == 10 and fields[1] == _SHT_NOTE:
            yield fields[4], fields[5], fields[8]
        elif len(fields) == 8 and fields[0] == _PT_NOTE:
            wide = layout.endswith("Q")
            yield (fields[2], fields[5], fields[7]) if wide else (fields[1], fields[4], fields[7])


def _ids_in(notes: bytes, order: str, align: int) -> Iterator[str]:
    step = 8 if align == 8 else 4
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from(order + "3I", notes, at)
        name_end = at + 12 + name_size
        start = -(-name_end // step) * step
        if start + size > len(notes):
            return
        name = notes[at + 12 : name_end]
        if kind == _NT_GNU_BUILD_ID and name == b"GNU\0" and 0 < size <= _MAX_ID:
            yield notes[start : start + size].hex()
        at = -(-(start + size) // step) * step


def _unpack(stream: BinaryIO, offset: int, layout: str) -> tuple[int, ...]:
    return struct.unpack(layout, _read(stream, offset, struct.calcsize(layout)))


def _read(stream: BinaryIO, offset: int, size: int) -> bytes:
    """Read a part of the file; nothing when it would lie outside or is absurdly large."""
    end = os.fstat(stream.fileno()).st_size
    if size > _MAX_NOTES or offset + size > end:
        return b""
    stream.seek(offset)
    return stream.read(size)
