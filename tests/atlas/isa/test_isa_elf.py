"""ELF files that are unusual, and ELF files that lie about where things are."""

from __future__ import annotations

import struct

import msgpack
import pytest
from isa_testdata import elf, metadata, note

from atlas.isa import inspect_bytes
from atlas.isa.elf import Elf
from atlas.isa.problem import ObjectProblem

END = struct.pack("<I", 0xBFB00000)
SOUND = elf(END, metadata([{".name": "k", ".symbol": "k.kd"}]), [("k", 0, 4)])
SECTION_TABLE = struct.unpack_from("<Q", SOUND, 40)[0]


def patched(offset: int, value: bytes, data: bytes = SOUND) -> bytes:
    return data[:offset] + value + data[offset + len(value) :]


def codes(data: bytes) -> list[str]:
    return [finding.code for finding in inspect_bytes(data).findings]


def test_the_file_that_is_patched_here_is_sound() -> None:
    assert codes(SOUND) == []
    assert [section.name for section in Elf(memoryview(SOUND)).sections] == [
        "",
        ".text",
        ".rodata",
        ".note",
        ".symtab",
        ".strtab",
        "",
    ]


def test_without_section_headers_the_note_segment_is_read() -> None:
    payload = note(msgpack.packb({"amdhsa.kernels": [{".name": "k", ".vgpr_count": 7}]}))
    segment = struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(payload), len(payload), 4)
    head = bytearray(SOUND[:64])
    head[32:40] = struct.pack("<Q", 64)  # the segment table
    head[40:48] = bytes(8)  # no section table
    head[56:58] = struct.pack("<H", 1)
    facts = inspect_bytes(bytes(head) + segment + payload)
    assert [kernel["vgpr_count"] for kernel in facts.images[0]["kernels"]] == [7]
    assert [finding.code for finding in facts.findings] == ["no_code"]


def test_a_count_of_zero_is_looked_up_in_the_first_section_header() -> None:
    data = patched(SECTION_TABLE + 32, struct.pack("<Q", 7), patched(60, bytes(2)))
    assert len(Elf(memoryview(data)).sections) == 7
    assert codes(data) == []


@pytest.mark.parametrize(
    ("offset", "value"),
    [
        (4, b"\x01"),  # 32 bits
        (5, b"\x02"),  # big-endian
        (40, struct.pack("<Q", 1 << 62)),  # section table beyond the file
        (40, struct.pack("<Q", len(SOUND) - 10)),
        (58, struct.pack("<H", 40)),  # section headers of another size
        (SECTION_TABLE + 64 + 24, struct.pack("<Q", 1 << 40)),  # .text beyond the file
        (SECTION_TABLE + 64 + 16, struct.pack("<Q", 1 << 40)),  # .text at another address
        (SECTION_TABLE + 5 * 64 + 24, struct.pack("<Q", (1 << 64) - 1)),  # .strtab
    ],
)
def test_parts_outside_the_file_are_said(offset: int, value: bytes) -> None:
    assert "elf_truncated" in codes(patched(offset, value))


def test_every_truncation_of_a_sound_file_is_noticed_or_harmless() -> None:
    for size in range(0, len(SOUND), 7):
        found = codes(SOUND[:size])
        assert found, size


def test_parts_are_checked_before_they_are_sliced() -> None:
    with pytest.raises(ObjectProblem):
        Elf(memoryview(SOUND)).part(1 << 62, 1 << 62, "A part")
