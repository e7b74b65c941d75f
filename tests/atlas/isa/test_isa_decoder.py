"""The decoder against llvm-objdump, and against words no compiler wrote."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from itertools import accumulate

import pytest
from isa_testdata import data_of, lines_of, names, path_of

from atlas.isa import elf, processors
from atlas.isa.code import without_padding
from atlas.isa.decoder import Decoder, base_opcode
from atlas.isa.extents import Layout
from atlas.isa.metadata import Metadata, read_metadata
from atlas.isa.tables import table_for
from atlas.isa.verify import parse_objdump

Lines = dict[int, tuple[int, str]]

# These words crash llvm-objdump 19 and 22 as gfx9 and gfx10 code.
CRASHING = struct.pack("<2I", 0x0AA120F9, 0xB145E77A)


def decoded(name: str) -> Lines:
    file, found = elf.Elf(memoryview(data_of(name))), Metadata()
    read_metadata(file, found)
    table = table_for(found.processor)
    assert table is not None
    layout, lines = Layout(file), {}
    for symbol in layout.functions.values():
        extent = layout.extent_of(symbol)
        assert not extent.inferred
        listing = Decoder(table).decode(layout.code(extent))
        for offset, (opcode, length) in zip(listing.offsets, listing.entries, strict=True):
            lines[extent.address + offset] = (length, str(opcode))
    return lines


@pytest.mark.parametrize("name", names())
def test_every_instruction_equals_the_committed_list_of_llvm_objdump(name: str) -> None:
    lines = decoded(name)
    assert lines
    listed = lines_of(name)
    assert lines == {address: listed[address] for address in lines}
    # What the list has beyond the functions is padding between and behind them; as gfx9 code
    # zeros are a v_cndmask.
    outside = {opcode for address, (_, opcode) in listed.items() if address not in lines}
    assert outside <= {"s_code_end", "s_nop", "None", "v_illegal", "v_cndmask_b32_e32"}


@pytest.mark.parametrize("name", names()[::6])
def test_the_committed_lists_are_what_an_installed_llvm_objdump_says(name: str) -> None:
    tool = shutil.which("llvm-objdump-19")
    if tool is None:
        pytest.skip("llvm-objdump-19 is not installed")
    argv = [tool, "-d", "-z", str(path_of(name))]
    text = subprocess.run(argv, capture_output=True, check=True, text=True, timeout=60).stdout
    fresh = {address: (length, str(opcode)) for address, length, opcode in parse_objdump(text)}
    assert fresh == lines_of(name)


def test_the_test_objects_cover_many_opcodes_of_every_generation() -> None:
    opcodes: dict[str, set[str]] = {}
    for name in names():
        generation = name.split("-")[1][:5]
        opcodes.setdefault(generation, set()).update(op for _, op in lines_of(name).values())
    counts = {key: len(opcodes[key]) for key in ("gfx90", "gfx10", "gfx11", "gfx12")}
    assert min(counts.values()) > 120, counts


@pytest.mark.parametrize("processor", sorted(set(processors().values())))
def test_random_words_never_raise_and_are_stepped_over_completely(processor: str) -> None:
    table = table_for(processor)
    assert table is not None
    chance = random.Random(processor)
    code = bytearray(chance.randbytes(40_000))
    for family in table.families:  # random words rarely look like the rarer families
        for _ in range(200):
            word = chance.getrandbits(32) & ~family.mask & 0xFFFFFFFF | family.match
            code += struct.pack("<I", word) + chance.randbytes(chance.choice((4, 8, 12)))
    code += CRASHING
    listing = Decoder(table).decode(bytes(code))
    lengths = [length for _, length in listing.entries]
    assert sum(lengths) == len(code) == listing.size
    assert listing.offsets == [0, *accumulate(lengths)][:-1]
    assert set(lengths) <= {4, 8, 12, 16, 20}
    named = sum(1 for opcode, _ in listing.entries if opcode)
    assert len(listing.entries) / 4 < named < len(listing.entries)


@pytest.mark.parametrize("processor", ["gfx906", "gfx1030", "gfx1100", "gfx1201"])
def test_what_has_been_learnt_does_not_change_the_answer(processor: str) -> None:
    table = table_for(processor)
    assert table is not None
    code = random.Random(7).randbytes(8000)
    decoder = Decoder(table)
    first = decoder.decode(code)
    assert decoder.decode(code).entries == first.entries
    assert Decoder(table).decode(memoryview(code)).entries == first.entries


def test_code_that_ends_within_an_instruction_is_not_guessed() -> None:
    table = table_for("gfx1100")
    assert table is not None
    fma = struct.pack("<2I", 0xD6130006, 0x23CA0B04)
    decoder = Decoder(table)
    assert decoder.decode(fma).entries == [("v_fma_f32", 8)]
    assert decoder.decode(fma[:6]).entries == [(None, 4)]
    assert decoder.decode(fma[:3]).entries == []
    assert decoder.decode(b"").size == 0


def test_literals_and_dual_instructions() -> None:
    table = table_for("gfx1100")
    assert table is not None
    words = [0x7E0002FF, 0x12345678, 0xCA100080, 0x00000080, 0xBF9F0000]
    listing = Decoder(table).decode(struct.pack("<5I", *words))
    assert listing.entries == [
        ("v_mov_b32_e32", 8),
        ("v_dual_mov_b32 :: v_dual_mov_b32", 8),
        ("s_code_end", 4),
    ]
    assert without_padding(listing).size == 16


@pytest.mark.parametrize(
    ("opcode", "base"),
    [
        ("v_add_f32_e32", "v_add_f32"),
        ("v_add_f32_e64_dpp", "v_add_f32"),
        ("v_mov_b32_sdwa", "v_mov_b32"),
        ("v_mov_b32_dpp", "v_mov_b32"),
        ("v_fma_f32", "v_fma_f32"),
        ("v_dual_mov_b32 :: v_dual_add_f32", "v_dual_mov_b32 :: v_dual_add_f32"),
    ],
)
def test_base_opcode_drops_the_encoding(opcode: str, base: str) -> None:
    assert base_opcode(opcode) == base
