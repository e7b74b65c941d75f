"""The committed tables: complete, consistent with the encodings, and reproducible."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from importlib import resources
from typing import Any

import duckdb
import pytest
from isa_testdata import TOOLS

from atlas.isa import processors, table_version
from atlas.isa.decoder import base_opcode
from atlas.isa.reference import category_names, category_of, register_file
from atlas.isa.tables import table_for

REFERENCE = resources.files("queries") / "reference"


@cache
def all_opcodes() -> list[str]:
    found: set[str] = set()
    for processor in set(processors().values()):
        table = table_for(processor)
        assert table is not None
        for entries in table.entries.values():
            found |= {str(name) for name, _ in entries.values()}
    return sorted(found)


@pytest.mark.parametrize(
    "processor",
    [
        "gfx906",
        "gfx908",
        "gfx90a",
        "gfx942",
        "gfx950",
        "gfx1010",
        "gfx1030",
        "gfx1100",
        "gfx1101",
        "gfx1102",
        "gfx1151",
        "gfx1200",
        "gfx1201",
    ],
)
def test_every_promised_processor_has_a_table(processor: str) -> None:
    table = table_for(processor)
    assert table is not None
    assert table.llvm[0].startswith("22.")
    assert sum(map(len, table.entries.values())) > 1400
    assert set(table.entries) >= {family.name for family in table.families} - {
        "EXP",
        "VINTRP",
        "MIMG",
        "VOP3PX",
    }


def test_no_table_is_no_table() -> None:
    assert table_for("gfx1250") is None
    assert table_for("") is None
    assert table_for("gfx") is None


def test_the_version_names_the_tables() -> None:
    assert len(table_version()) == 12
    assert (
        table_version()
        == json.loads((resources.files("atlas.isa") / "data" / "index.json").read_text())["version"]
    )


@pytest.mark.parametrize("processor", ["gfx906", "gfx1030"])
def test_the_generator_makes_the_committed_table_again(processor: str) -> None:
    if shutil.which("llvm-config-22") is None or shutil.which("llvm-config-19") is None:
        pytest.skip("the tables were made with LLVM 22 and 19, which are not both installed")
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import isa_tables as tool;"
        "libraries = [tool._library(version) for version in ('22', '19')];"
        "print(json.dumps(tool.table_of(libraries, sys.argv[2], sys.argv[3])))"
    )
    table = table_for(processor)
    assert table is not None
    argv = [sys.executable, "-c", program, str(TOOLS), processor, table.generation]
    done = subprocess.run(argv, capture_output=True, check=True, timeout=120)
    fresh: dict[str, Any] = json.loads(done.stdout)
    if tuple(fresh["llvm"]) != table.llvm:
        pytest.skip(f"installed are {fresh['llvm']}, the table was made with {table.llvm}")
    assert {
        name: {opcode: (mnemonic, length) for opcode, mnemonic, length in rows}
        for name, rows in fresh["tables"].items()
    } == table.entries


def test_every_opcode_has_a_category_and_few_have_none() -> None:
    others = {opcode for opcode in all_opcodes() if category_of(opcode) == "other"}
    assert others == set()
    assert set(category_names()) == {
        "matrix",
        "dot",
        "vmem",
        "lds",
        "smem",
        "branch",
        "wait",
        "sched",
        "export",
        "salu",
        "valu",
        "other",
    }


@pytest.mark.parametrize(
    ("opcode", "category"),
    [
        ("v_wmma_f32_16x16x16_f16", "matrix"),
        ("v_swmmac_f32_16x16x32_f16", "matrix"),
        ("v_mfma_f32_16x16x16_f16", "matrix"),
        ("v_smfmac_f32_16x16x32_f16", "matrix"),
        ("v_dot4_i32_i8", "dot"),
        ("v_dual_mov_b32 :: v_dual_dot2acc_f32_f16", "dot"),
        ("v_dual_mov_b32 :: v_dual_mov_b32", "valu"),
        ("tbuffer_load_format_x", "vmem"),
        ("s_buffer_load_dword", "smem"),
        ("s_prefetch_data", "smem"),
        ("s_scratch_load_dword", "smem"),
        ("s_memrealtime", "smem"),
        ("lds_direct_load", "lds"),
        ("ds_bpermute_b32", "lds"),
        ("s_cbranch_scc0", "branch"),
        ("s_waitcnt_depctr", "wait"),
        ("s_wait_loadcnt", "wait"),
        ("s_delay_alu", "sched"),
        ("s_setprio", "sched"),
        ("s_set_inst_prefetch_distance", "sched"),
        ("s_add_u32", "salu"),
        ("v_fma_f32", "valu"),
        ("exp", "export"),
        ("something", "other"),
    ],
)
def test_categories(opcode: str, category: str) -> None:
    assert category_of(opcode) == category
    assert category_of(base_opcode(opcode)) == category


def test_sql_reads_the_same_rules_and_comes_to_the_same_categories() -> None:
    database = duckdb.connect()
    database.execute("SET VARIABLE reference_dir = ?", [str(REFERENCE)])
    rules = (REFERENCE / "isa_categories.sql").read_text()
    database.execute(f"CREATE TABLE rules AS {rules}")
    database.execute("CREATE TABLE opcodes (opcode VARCHAR)")
    some = ["no opcode at all", *all_opcodes()[::7]]
    database.executemany("INSERT INTO opcodes VALUES (?)", [[opcode] for opcode in some])
    rows = database.execute(
        "SELECT opcode, arg_min(category, priority) FROM opcodes JOIN rules"
        " ON regexp_matches(opcode, pattern) GROUP BY opcode"
    ).fetchall()
    assert len(rows) == len(some)
    assert [row for row in rows if category_of(row[0]) != row[1]] == []


def test_sql_reads_the_same_register_files() -> None:
    database = duckdb.connect()
    database.execute("SET VARIABLE reference_dir = ?", [str(REFERENCE)])
    rows = database.execute((REFERENCE / "isa_wave_limits.sql").read_text()).fetchall()
    assert len(rows) > 50
    for arch, wavefront, registers, granule, waves, unified in rows:
        file = register_file(arch, wavefront)
        assert file is not None
        assert (file.registers, file.granule, file.max_waves, file.unified) == (
            registers,
            granule,
            waves,
            unified,
        )


def test_every_processor_with_a_table_has_a_register_file() -> None:
    for processor in processors():
        assert register_file(processor, 64) is not None
