"""``atlas isa``: what is recorded, what is only hashed, and what hostile files do."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from atlas.ask import ask
from atlas.cli.boundary import run
from ledger.store import Ledger
from queries.catalog import Catalog

OBJECTS = Path(__file__).parents[2] / "data" / "isa" / "objects"
PLAIN = OBJECTS / "gemv_int4-gfx1100-O3.hsaco"
SPILLING = OBJECTS / "gemv_int4-gfx1100-O0.hsaco"
BUNDLE = OBJECTS / "bundle.hsaco"


class Place:
    """A ledger of its own and the command line over it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.file = folder / "l.duckdb"
        self.capsys = capsys

    def run(self, *words: object, code: int = 0) -> str:
        assert run(["--ledger", str(self.file), *map(str, words)]) == code
        self.said = self.capsys.readouterr()
        return self.said.out

    def json(self, *words: object, code: int = 0) -> Any:
        return json.loads(self.run(*words, "--format", "json", code=code))

    def kinds(self) -> dict[str, int]:
        rows = self.json("sql", "SELECT kind, count(*) AS n FROM events GROUP BY kind")
        return {row["kind"]: row["n"] for row in rows}


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path, capsys)


def test_an_object_is_recorded_once_and_every_inspection_names_it(place: Place) -> None:
    copy = place.folder / "copy.hsaco"
    shutil.copy(PLAIN, copy)
    place.run("isa", PLAIN, copy)
    assert place.kinds() == {"isa_object": 1, "isa_manifest": 1}
    place.run("isa", PLAIN)
    assert place.kinds() == {"isa_object": 1, "isa_manifest": 2}


def test_what_is_known_is_not_decoded_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.run("isa", BUNDLE, PLAIN)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("decoded again")

    monkeypatch.setattr("atlas.isa.scan.inspect_bytes", refuse)
    first = place.json("isa", BUNDLE, PLAIN)
    assert first["object_count"] == 4


def test_the_manifest_of_known_objects_is_the_same(place: Place) -> None:
    before, after = place.json("isa", BUNDLE), place.json("isa", BUNDLE)
    for one in (before, after):
        del one["captured_at_utc"]
    assert before == after
    assert before["objects"][0]["kernels"][0]["instruction_summary"]["instruction_count"] > 0


def test_only_the_images_of_the_asked_arch_are_members(place: Place) -> None:
    place.run("isa", BUNDLE, "--arch", "gfx906")
    ledger = Ledger(place.file, Catalog())
    with ledger.reader() as reader:
        manifest = ask(reader, Catalog(), "newest_events", kind="isa_manifest").dicts()[0]
        images = ask(reader, Catalog(), "image_texts", event_id=manifest["event_id"]).dicts()
    assert [json.loads(one["told"])["arch"] for one in images] == ["gfx906"]
    assert place.run("isa", BUNDLE, "--arch", "gfx1030", code=2) == ""
    assert "gfx1201" in place.said.err


def test_sorting_by_spills(place: Place) -> None:
    rows = place.run("isa", OBJECTS, "--filter", "gfx1100", "--sort", "spills", "--format", "csv")
    head, *lines = [line.split(",") for line in rows.splitlines()]
    spills = [int(line[head.index("spills")]) for line in lines]
    assert spills == sorted(spills, reverse=True)
    assert spills[0] > 0
    waves = place.json("sql", "SELECT min(waves) AS w, max(waves) AS m FROM isa_kernels")
    assert waves[0]["w"] <= waves[0]["m"]


def test_the_static_limit_in_sql_is_the_one_of_the_inspection(place: Place) -> None:
    manifest = place.json("isa", OBJECTS, "--limit", "60")
    told = {
        (image["md5"], image["arch"], kernel["name"]): kernel["static_wave_limit"]
        for image in manifest["objects"]
        for kernel in image["kernels"]
    }
    rows = place.json("sql", "SELECT md5, arch, kernel, waves, max_waves FROM isa_kernels")
    assert len(rows) >= len(told) > 60
    for row in rows:
        limit = told[row["md5"], row["arch"], row["kernel"]]
        assert (limit and limit["waves_per_simd"]) == row["waves"]
        assert (limit and limit["max_waves_per_simd"]) == row["max_waves"]


def hostile(folder: Path) -> dict[str, str]:
    """Files that are not what they should be, and the finding each gives."""
    good = PLAIN.read_bytes()
    made = {
        "empty.hsaco": (b"", "empty"),
        "noise.hsaco": (bytes(range(256)) * 40, "unknown_format"),
        "cut.hsaco": (good[:200], "elf_truncated"),
        "bundle.hsaco": (BUNDLE.read_bytes()[:70], "bundle_bad_range"),
        "host.o": (good[:18] + b"\x3e\x00" + good[20:], "not_amdgpu"),
    }
    for name, (data, _) in made.items():
        (folder / name).write_bytes(data)
    os.mkfifo(folder / "pipe.hsaco")
    (folder / "loop").symlink_to(folder)
    (folder / "gone.hsaco").symlink_to(folder / "nowhere")
    codes = {name: code for name, (_, code) in made.items()}
    return codes | {"pipe.hsaco": "not_regular", "gone.hsaco": "unreadable"}


def test_hostile_files_give_findings_and_exit_code_2_and_the_run_goes_on(place: Place) -> None:
    folder = place.folder / "objects"
    folder.mkdir()
    codes = hostile(folder)
    shutil.copy(PLAIN, folder / "good.hsaco")
    manifest = place.json("isa", folder, code=2)
    for name, code in codes.items():
        assert any(name in line and code in line for line in place.said.err.splitlines()), name
    assert [k["name"] for one in manifest["objects"] for k in one["kernels"]] == ["gemv_int4"]
    place.json("isa", folder, code=2)
    assert place.kinds()["isa_manifest"] == 2


def test_nothing_is_recorded_when_nothing_was_inspected(place: Place) -> None:
    place.run("isa", place.folder / "absent", code=2)
    place.run("isa", place.folder, code=0)
    assert place.run("log", code=3) == ""


def test_diff_of_files_says_what_changed_and_fails_on_what_is_named(place: Place) -> None:
    rows = place.json("isa", "diff", PLAIN, SPILLING)
    assert [(row["kernel"], row["status"]) for row in rows] == [("gemv_int4", "changed")]
    assert "vgpr 23 -> 38" in rows[0]["changed"]
    place.run("isa", "diff", PLAIN, SPILLING, "--fail-on", "spills,vgpr", code=1)
    assert "spills 0 -> 95" in place.said.err
    place.run("isa", "diff", SPILLING, PLAIN, "--fail-on", "spills,vgpr")
    assert place.json("isa", "diff", PLAIN, PLAIN) == []
    assert place.json("isa", "diff", PLAIN, PLAIN, "--all")[0]["status"] == "identical"


def test_diff_of_builds_in_the_ledger_and_of_manifest_files(place: Place) -> None:
    (place.folder / "m.json").write_text(place.run("isa", PLAIN, "--format", "json"))
    place.run("isa", SPILLING)
    events = place.json("log", "--kind", "isa_manifest")
    newest, oldest = events[0]["event_id"], events[-1]["event_id"]
    first = {newest: SPILLING, oldest: PLAIN}
    assert place.json("isa", "diff", oldest, PLAIN) == []
    rows = place.json("isa", "diff", place.folder / "m.json", newest)
    expected = "identical" if first[newest] is PLAIN else "changed"
    assert [row["status"] for row in rows] == [expected]
    place.run("isa", "diff", "ffffffff", PLAIN, code=2)
    place.run("isa", "diff", PLAIN, PLAIN, "--fail-on", "beauty", code=2)


def test_diff_of_a_strange_manifest_is_no_crash(place: Place) -> None:
    strange = {
        "schema": "hipfire.kernel_atlas.isa.v0",
        "objects": [1, {"kernels": [None, {"name": "k", "vgpr_count": "x"}]}],
    }
    (place.folder / "s.json").write_text(json.dumps(strange))
    (place.folder / "t.json").write_text("{}")
    assert len(place.json("isa", "diff", place.folder / "s.json", PLAIN)) == 2
    place.run("isa", "diff", place.folder / "t.json", PLAIN, code=2)


def test_verification_needs_its_tool(place: Place) -> None:
    place.run("isa", PLAIN, "--verify-with", "/nowhere/llvm-objdump", code=2)
    if shutil.which("llvm-objdump-19") is None:
        pytest.skip("no llvm-objdump-19 here")
    place.run("isa", PLAIN, "--verify-with", "llvm-objdump-19")
    assert ", 0 differences" in place.said.err


def test_shortcuts_answer(place: Place) -> None:
    place.run("isa", BUNDLE, OBJECTS / "back_to_back.hsaco", SPILLING)
    assert place.json("query", "kernels")[0]["kernel"] == "add_polynomial"
    assert [row["kernel"] for row in place.json("query", "spills")] == ["gemv_int4"]
    assert {row["files"] for row in place.json("query", "identical-objects")} == {2}
    assert place.json("query", "isa-outcome") == []
    assert place.json("query", "unmatched") == []
