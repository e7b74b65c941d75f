"""The manifest's shape, and that no LLVM takes part in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from isa_testdata import OBJECTS, path_of

from atlas.isa import MANIFEST_SCHEMA, ScanOptions, build_manifest, inspect_paths

if TYPE_CHECKING:
    from pathlib import Path

WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def manifest(*names: str, arch: str | None = None) -> dict[str, Any]:
    found = inspect_paths([path_of(name) for name in names], ScanOptions(arch=arch))
    return build_manifest(found.objects, arch=arch, captured_at=WHEN)


def test_a_manifest_has_the_fields_people_read() -> None:
    made = manifest("two_kernels-gfx1100-O3", "bundle")
    assert made["schema"] == MANIFEST_SCHEMA == "hipfire.kernel_atlas.isa.v0"
    assert made["captured_at_utc"] == "2026-01-02T03:04:05Z"
    assert made["arch"] is None
    assert (made["object_count"], made["kernel_count"]) == (4, 8)
    assert [entry["bundle_target"] for entry in made["objects"]] == [
        None,
        "gfx1100",
        "gfx906",
        "gfx1201",
    ]
    total = 0
    for entry in made["objects"]:
        assert {
            "path",
            "md5",
            "bundle_targets",
            "bundle_target",
            "amdhsa_target",
            "kernels",
            "instruction_summary",
            "tool_errors",
        } <= set(entry)
        total += entry["instruction_summary"]["instruction_count"]
        for part in (entry, *entry["kernels"]):
            assert {
                "instruction_count",
                "kernel_symbols",
                "opcode_counts",
                "category_counts",
            } <= set(part["instruction_summary"])
    assert made["instruction_count"] == total == sum(made["category_counts"].values())
    assert json.loads(json.dumps(made)) == made


def test_the_arch_is_named_when_there_is_only_one() -> None:
    assert manifest("two_kernels-gfx1100-O3")["arch"] == "gfx1100"
    assert manifest("bundle", arch="gfx906")["arch"] == "gfx906"
    assert manifest("bundle", arch="gfx906")["object_count"] == 1


def test_a_file_that_could_not_be_read_is_listed_with_its_error(tmp_path: Path) -> None:
    (tmp_path / "bad.hsaco").write_bytes(b"nothing of that kind")
    made = build_manifest(inspect_paths([tmp_path]).objects)
    (entry,) = made["objects"]
    assert entry["kernels"] == []
    assert [error["code"] for error in entry["tool_errors"]] == ["unknown_format"]
    assert made["instruction_count"] == 0


PROGRAM = """
import json, sys
from datetime import UTC, datetime
from atlas.isa import build_manifest, inspect_paths
files = inspect_paths([sys.argv[1]]).objects
made = build_manifest(files, captured_at=datetime(2026, 1, 1, tzinfo=UTC))
heavy = {"duckdb", "pyarrow", "numpy", "scipy"} & set(sys.modules)
json.dump({"made": made, "heavy": sorted(heavy)}, sys.stdout)
"""


def test_without_llvm_on_the_path_the_manifest_is_the_same(tmp_path: Path) -> None:
    for name in ("spill-gfx1201-O3", "gemv_int4-gfx906-O0", "ccob_v2_zlib"):
        (tmp_path / f"{name}.hsaco").write_bytes(path_of(name).read_bytes())
    answers = []
    for path in (os.environ["PATH"], str(tmp_path)):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(tmp_path)],
            env={**os.environ, "PATH": path},
            capture_output=True,
            check=True,
            timeout=60,
        )
        answers.append(json.loads(done.stdout))
    assert answers[0] == answers[1]
    assert answers[0]["made"]["object_count"] == 5
    assert answers[0]["heavy"] == []


def test_every_committed_object_is_in_a_manifest_of_their_folder() -> None:
    found = inspect_paths([OBJECTS])
    assert found.findings == []
    assert len(found.objects) == len({*OBJECTS.glob("*.hsaco"), *OBJECTS.glob("*.o")})
