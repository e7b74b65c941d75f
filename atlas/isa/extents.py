"""Where the code of each function and kernel begins and ends in an image."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.isa import elf
from atlas.isa.metadata import DESCRIPTOR_BYTES, Descriptor, read_descriptor

if TYPE_CHECKING:
    from atlas.isa.elf import Elf, Symbol

_DESCRIPTOR_SUFFIX = ".kd"


@dataclass(frozen=True, slots=True)
class Extent:
    """Code of one symbol: section index, byte offset in it, size, and its address.

    ``inferred`` means that the symbol has no size: the code was taken up to the next symbol and
    its trailing padding is not part of it.
    """

    section: int
    offset: int
    size: int
    address: int
    inferred: bool


class Layout:
    """Functions and kernel descriptors of an image, by name."""

    def __init__(self, file: Elf) -> None:
        self._file = file
        self._code_addresses = sorted(
            (section.address, index)
            for index, section in enumerate(file.sections)
            if section.flags & elf.FLAG_EXECUTABLE
        )
        self.functions: dict[str, Symbol] = {}
        self.descriptors: dict[str, Symbol] = {}
        for symbol in file.symbols:
            if symbol.kind == elf.SYMBOL_FUNCTION and self._executable(symbol.section):
                self.functions.setdefault(symbol.name, symbol)
            elif symbol.name.endswith(_DESCRIPTOR_SUFFIX) and symbol.size == DESCRIPTOR_BYTES:
                self.descriptors.setdefault(symbol.name, symbol)
        self._starts = self._start_offsets()

    def _executable(self, index: int) -> bool:
        return bool(self._file.sections[index].flags & elf.FLAG_EXECUTABLE)

    def _start_offsets(self) -> dict[int, list[int]]:
        """Section → sorted offsets at which some code starts."""
        starts: dict[int, set[int]] = {}
        for symbol in self.functions.values():
            starts.setdefault(symbol.section, set()).add(self._file.offset_in_section(symbol))
        for name in self.descriptors:
            place = self._entry_of(name)
            if place:
                starts.setdefault(place[0], set()).add(place[1])
        return {section: sorted(offsets) for section, offsets in starts.items()}

    def descriptor(self, symbol_name: str) -> Descriptor | None:
        """The kernel descriptor of that symbol; None when it is not there or cut off."""
        symbol = self.descriptors.get(symbol_name)
        if symbol is None:
            return None
        return read_descriptor(self._file.bytes_of(symbol, DESCRIPTOR_BYTES))

    def extent(self, descriptor_name: str) -> Extent | None:
        """Extent of a kernel, by its function symbol, else by its descriptor's entry point."""
        symbol = self.functions.get(descriptor_name.removesuffix(_DESCRIPTOR_SUFFIX))
        if symbol is not None:
            return self.extent_of(symbol)
        place = self._entry_of(descriptor_name)
        return self._up_to_next(*place) if place else None

    def extent_of(self, symbol: Symbol) -> Extent:
        """Extent of a function symbol."""
        offset = self._file.offset_in_section(symbol)
        if not symbol.size:
            return self._up_to_next(symbol.section, offset)
        return Extent(symbol.section, offset, symbol.size, symbol.value, inferred=False)

    def _entry_of(self, descriptor_name: str) -> tuple[int, int] | None:
        """Section and offset of a kernel's first instruction, in a linked image."""
        symbol = self.descriptors.get(descriptor_name)
        descriptor = self.descriptor(descriptor_name)
        if symbol is None or descriptor is None or self._file.kind == elf.TYPE_RELOCATABLE:
            return None
        entry = symbol.value + descriptor.entry_offset
        found = bisect_right(self._code_addresses, (entry, len(self._file.sections))) - 1
        if found < 0:
            return None
        address, index = self._code_addresses[found]
        offset = entry - address
        return (index, offset) if offset < self._file.sections[index].size else None

    def _up_to_next(self, section: int, offset: int) -> Extent:
        starts = self._starts.get(section, [])
        following = bisect_right(starts, offset)
        end = starts[following] if following < len(starts) else self._file.sections[section].size
        address = self._file.sections[section].address + offset
        return Extent(section, offset, max(0, end - offset), address, inferred=True)

    def code(self, extent: Extent) -> memoryview:
        """The bytes of an extent, cut at the end of its section."""
        body = self._file.contents(self._file.sections[extent.section])
        if extent.offset < 0:
            return body[:0]
        return body[extent.offset : extent.offset + extent.size]
