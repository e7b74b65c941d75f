"""The optional check against llvm-objdump, with a real one and with impostors."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

import pytest
from isa_testdata import data_of

from atlas.errors import BadUsage, NotFound
from atlas.isa import verify as module
from atlas.isa.verify import parse_objdump, verify

if TYPE_CHECKING:
    from pathlib import Path


def impostor(folder: Path, script: str) -> str:
    tool = folder / "llvm-objdump"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    return str(tool)


def test_a_real_llvm_objdump_agrees() -> None:
    tool = shutil.which("llvm-objdump-19")
    if tool is None:
        pytest.skip("llvm-objdump-19 is not installed")
    for name in ("bundle", "rmsnorm_rotate-gfx1151-O3"):
        result = verify(data_of(name), tool)
        assert result.findings == []
        assert result.compared > 100


def test_a_disagreement_is_found(tmp_path: Path) -> None:
    line = "\\ts_nop 0 // 000000001900: BF800000"
    result = verify(data_of("spill-gfx1100-O3"), impostor(tmp_path, f"printf '{line}\\n'"))
    assert result.compared == len(result.findings) > 100
    assert {finding.code for finding in result.findings} == {"verify_mismatch"}


def test_a_crash_is_a_finding(tmp_path: Path) -> None:
    result = verify(data_of("spill-gfx1100-O3"), impostor(tmp_path, "exit 139"))
    assert [finding.code for finding in result.findings] == ["verify_failed"]


def test_a_tool_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TIMEOUT_SECONDS", 0.2)
    start = time.monotonic()
    result = verify(data_of("spill-gfx1100-O3"), impostor(tmp_path, "exec sleep 30"))
    assert time.monotonic() - start < 10
    assert [finding.code for finding in result.findings] == ["verify_failed"]


def test_endless_output_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_OUTPUT_BYTES", 1000)
    result = verify(data_of("spill-gfx1100-O3"), impostor(tmp_path, "exec yes"))
    assert [finding.code for finding in result.findings] == ["verify_failed"]


def test_a_missing_tool_and_another_tool_are_errors() -> None:
    with pytest.raises(NotFound):
        verify(data_of("spill-gfx1100-O3"), "/nowhere/llvm-objdump")
    with pytest.raises(BadUsage):
        verify(data_of("spill-gfx1100-O3"), "rm")


def test_objdump_lines_are_understood() -> None:
    text = (
        "0000000000001900 <name with // in it>:\n"
        "\tv_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v1, 0 // 000000001900: CA100080 00000080\n"
        "\ts_branch 65499 // 000000001908: BFA1FFDB <x+0xec>\n"
        "\t.long 0xffffffff // 00000000190C: FFFFFFFF\n"
    )
    assert list(parse_objdump(text)) == [
        (0x1900, 8, "v_dual_mov_b32 :: v_dual_mov_b32"),
        (0x1908, 4, "s_branch"),
        (0x190C, 4, None),
    ]
