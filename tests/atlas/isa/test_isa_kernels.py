"""What is counted for a kernel, and what is not."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import pytest
from isa_testdata import data_of, descriptor, elf, expected, lines_of, metadata, names

from atlas.isa import inspect_bytes
from atlas.isa.limits import static_wave_limit

END = struct.pack("<I", 0xBFB00000)  # s_endpgm, as gfx11 writes it
NOP = struct.pack("<I", 0xBF800000)
CODE_END = struct.pack("<I", 0xBF9F0000)
MOVE = struct.pack("<I", 0x7E000280)  # v_mov_b32_e32 v0, 0


def image_of(data: bytes) -> dict[str, Any]:
    return inspect_bytes(data).images[0]


def kernels_of(name: str) -> dict[str, dict[str, Any]]:
    return {kernel["name"]: kernel for kernel in image_of(data_of(name))["kernels"]}


def categories(facts: dict[str, Any]) -> dict[str, int]:
    counts: dict[str, int] = facts["instruction_summary"]["category_counts"]
    return counts


@pytest.mark.parametrize("name", names())
def test_the_compilers_occupancy_equals_the_static_limit_or_is_below_it(name: str) -> None:
    kernels = kernels_of(name)
    occupancies = expected()[name]["occupancy"]
    assert set(occupancies) == set(kernels)
    for kernel, occupancy in occupancies.items():
        facts = kernels[kernel]
        limit = facts["static_wave_limit"]["waves_per_simd"]
        opcodes = facts["instruction_summary"]["opcode_counts"]
        calls = any("swappc" in opcode for opcode in opcodes)
        assert occupancy <= limit
        if not calls and not facts["group_segment_fixed_size"]:
            assert occupancy == limit, kernel


@pytest.mark.parametrize(
    ("arch", "wavefront", "vgprs", "waves"),
    [
        ("gfx1010", 32, 24, 20),
        ("gfx1010", 32, 64, 16),
        ("gfx1030", 32, 65, 12),
        ("gfx1100", 32, 256, 5),
        ("gfx1100", 64, 256, 2),
        ("gfx1102", 32, 256, 4),
        ("gfx1151", 32, 97, 12),
        ("gfx1201", 32, 0, 16),
        ("gfx906", 64, 33, 7),
        ("gfx906", 64, 1024, 1),
        ("gfx90a", 64, 129, 3),
    ],
)
def test_static_wave_limits(arch: str, wavefront: int, vgprs: int, waves: int) -> None:
    limit = static_wave_limit(arch, wavefront, vgprs)
    assert limit is not None
    assert limit["waves_per_simd"] == waves


def test_no_limit_is_claimed_for_what_is_unknown() -> None:
    assert static_wave_limit("gfx1250", 32, 8) is None
    assert static_wave_limit("gfx906", 32, 8) is None
    assert static_wave_limit("gfx1100", None, 8) is None
    assert static_wave_limit("gfx1100", 32, None) is None


def test_waits_of_gfx12_are_counted() -> None:
    for name in names():
        if "gfx1201" in name and "odd_names" not in name:
            for kernel in kernels_of(name).values():
                assert categories(kernel)["wait"] > 0
    opcodes = kernels_of("gemv_int4-gfx1201-O3")["gemv_int4"]["instruction_summary"][
        "opcode_counts"
    ]
    assert opcodes["s_wait_loadcnt"] > 0


def test_matrix_dot_and_dual_instructions_have_their_categories() -> None:
    for name in ("wmma_gemm-gfx1100-O3", "wmma_gemm-gfx1201-O3"):
        assert categories(kernels_of(name)["gemm_f16_wmma"])["matrix"] == 2
    for arch in ("gfx908", "gfx90a", "gfx942"):
        assert categories(kernels_of(f"mfma_gemm-{arch}-O3")["gemm_f16_mfma"])["matrix"] == 4
    multirow = kernels_of("gemv_multirow-gfx1100-O3")["gemv_q8_multirow_r4"]
    assert any(
        " :: " in opcode
        for opcode in kernels_of("spill-gfx1100-O3")["spills_registers"]["instruction_summary"][
            "opcode_counts"
        ]
    )
    assert {"valu", "salu", "vmem", "wait", "branch"} <= set(categories(multirow))


@pytest.mark.parametrize("name", names())
def test_padding_is_counted_nowhere_and_the_whole_is_the_sum_of_its_functions(name: str) -> None:
    image = image_of(data_of(name))
    parts = image["kernels"] + image["device_functions"]
    whole = image["instruction_summary"]
    assert "s_code_end" not in whole["opcode_counts"]
    assert whole["instruction_count"] == sum(
        part["instruction_summary"]["instruction_count"] for part in parts
    )
    for part in parts:
        counts = part["instruction_summary"]
        assert counts["instruction_count"] == sum(counts["opcode_counts"].values())
        assert counts["instruction_count"] == sum(counts["base_opcode_counts"].values())
        assert counts["instruction_count"] == sum(counts["category_counts"].values())
        assert part["code_bytes"] == _listed_bytes(name, part)


def _listed_bytes(name: str, part: dict[str, Any]) -> int:
    """Bytes of the listed instructions that lie in the function."""
    end = part["address"] + part["code_bytes"]
    return sum(size for at, (size, _) in lines_of(name).items() if part["address"] <= at < end)


def test_device_functions_stand_apart_with_their_own_body_only() -> None:
    image = image_of(data_of("two_kernels-gfx1100-O3"))
    assert [kernel["name"] for kernel in image["kernels"]] == ["apply_polynomial", "add_polynomial"]
    assert [function["name"] for function in image["device_functions"]] == ["_Z10polynomialfi"]
    assert image["instruction_summary"]["kernel_symbols"] == ["apply_polynomial", "add_polynomial"]
    assert image["device_functions"][0]["instruction_summary"]["kernel_symbols"] == []


def test_spills_and_scratch_are_seen() -> None:
    kernel = kernels_of("spill-gfx1100-O3")["spills_registers"]
    assert kernel["vgpr_spill_count"] > 0
    assert kernel["private_segment_fixed_size"] > 0
    assert any(op.startswith("scratch_") for op in kernel["instruction_summary"]["opcode_counts"])


def test_odd_names_come_through_unharmed() -> None:
    assert set(kernels_of("odd_names-gfx1100-O3")) == {
        "a name with spaces",
        "quote'\"; DROP TABLE rows; --",
        "ends.kd",
        "größe_μs",
        "_Z9templatedILi3EEv3TagIXT_EEPf",
    }


def test_wave64_kernels_are_told_apart() -> None:
    kernel = kernels_of("gemv_int4-gfx1100-wave64")["gemv_int4"]
    assert kernel["wavefront_size"] == 64
    assert kernels_of("gemv_int4-gfx1100-O3")["gemv_int4"]["wavefront_size"] == 32


def test_innermost_loops_have_their_mix() -> None:
    kernel = kernels_of("gemv_int4-gfx1100-O3")["gemv_int4"]
    assert len(kernel["loops"]) == 1  # the reduction is unrolled
    for loop in kernel["loops"]:
        assert 0 <= loop["start"] < loop["end"] <= kernel["code_bytes"]
        assert loop["instruction_count"] == sum(loop["category_counts"].values())
        assert loop["category_counts"]["branch"] >= 1
    assert any(loop["category_counts"].get("vmem", 0) >= 2 for loop in kernel["loops"])
    assert kernels_of("odd_names-gfx1100-O3")["ends.kd"]["loops"] == []


def branch(instructions: int) -> bytes:
    """s_branch over so many dwords, counted from the next instruction."""
    return struct.pack("<I", 0xBFA00000 | instructions & 0xFFFF)


@pytest.mark.parametrize(
    ("code", "loops"),
    [
        (MOVE + branch(-2) + END, [(0, 8)]),
        (MOVE + branch(-1) + branch(-3) + END, [(4, 8)]),  # the outer loop is left out
        (MOVE + branch(-2) + branch(-3) + END, [(0, 12)]),  # one target is one loop
        (MOVE + MOVE + branch(-3) + branch(-3) + END, [(0, 16)]),  # crossing loops are one
        (branch(-9) + END, []),  # leaves the function
        (branch(1) + MOVE + END, []),
    ],
)
def test_loops_of_small_programs(code: bytes, loops: list[tuple[int, int]]) -> None:
    kernel = image_of(elf(code, functions=[("k", 0, len(code))]))["device_functions"][0]
    assert [(loop["start"], loop["end"]) for loop in kernel["loops"]] == loops


def test_without_sizes_the_extent_is_inferred_and_padding_trimmed() -> None:
    code = MOVE + END + NOP + CODE_END + MOVE + MOVE + END + bytes(8)
    entries = [{".name": name, ".symbol": f"{name}.kd", ".wavefront_size": 32} for name in "ab"]
    parts = [("a.kd", descriptor(entry=0x800)), ("b.kd", descriptor(entry=0x800 - 64 + 16))]
    image = image_of(elf(code, metadata(entries), descriptors=parts))
    found = {k["name"]: (k["inferred"], k["address"], k["code_bytes"]) for k in image["kernels"]}
    assert found == {"a": (True, 0x1000, 8), "b": (True, 0x1010, 12)}
    assert image["instruction_summary"]["instruction_count"] == 5
    sized = image_of(elf(code, metadata(entries), [("a", 0, 16), ("b", 16, 0)]))["kernels"]
    assert [(kernel["inferred"], kernel["code_bytes"]) for kernel in sized] == [
        (False, 16),
        (True, 12),
    ]


def test_a_kernel_without_code_is_said() -> None:
    facts = inspect_bytes(elf(END, metadata([{".name": "gone", ".symbol": "gone.kd"}])))
    assert [finding.code for finding in facts.findings] == ["no_code"]
    assert facts.images[0]["kernels"][0]["name"] == "gone"


def test_code_that_is_cut_off_is_said() -> None:
    facts = inspect_bytes(elf(END, functions=[("f", 0, 400)]))
    assert [finding.code for finding in facts.findings] == ["elf_truncated"]
    assert facts.images[0]["device_functions"][0]["code_bytes"] == 4


def test_words_that_are_no_instructions_are_said_and_counted() -> None:
    facts = inspect_bytes(elf(b"\xff" * 8 + END, functions=[("f", 0, 12)]))
    assert [finding.code for finding in facts.findings] == ["undecoded"]
    assert facts.sound
    function = facts.images[0]["device_functions"][0]
    assert function["undecoded"] == 2
    assert function["instruction_summary"]["instruction_count"] == 1


def test_a_processor_without_a_table_keeps_its_metadata() -> None:
    entry = {".name": "k", ".symbol": "k.kd", ".vgpr_count": 12, ".wavefront_size": 32}
    note = metadata([entry], **{"amdhsa.target": "amdgcn-amd-amdhsa--gfx1250"})
    facts = inspect_bytes(elf(END, note, [("k", 0, 4)], flags=0x49))
    assert [finding.code for finding in facts.findings] == ["no_table"]
    kernel = facts.images[0]["kernels"][0]
    assert (kernel["vgpr_count"], kernel["code_bytes"]) == (12, 4)
    assert kernel["instruction_summary"]["instruction_count"] == 0
    assert kernel["static_wave_limit"] is None


def test_identical_kernels_in_different_files_have_the_same_digest() -> None:
    versions = [kernels_of(f"two_kernels-gfx1100-v{version}") for version in (5, 6)]
    digests = [kernels["apply_polynomial"]["code_sha256"] for kernels in versions]
    assert digests[0] == digests[1]
    code = MOVE + END
    function = image_of(elf(code, functions=[("f", 0, 8)]))["device_functions"][0]
    assert function["code_sha256"] == hashlib.sha256(code).hexdigest()


def test_two_names_of_the_same_code_count_once_in_the_whole() -> None:
    image = image_of(elf(MOVE + END, functions=[("f", 0, 8), ("alias", 0, 8)]))
    assert len(image["device_functions"]) == 2
    assert image["instruction_summary"]["instruction_count"] == 2


def test_facts_are_a_function_of_the_bytes() -> None:
    data = data_of("bundle")
    assert inspect_bytes(data).payload == inspect_bytes(memoryview(bytearray(data))).payload
    assert inspect_bytes(data).current
