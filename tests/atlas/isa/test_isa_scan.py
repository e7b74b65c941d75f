"""Folders, links, names and what the run does about bad files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from isa_testdata import data_of, path_of

from atlas.errors import BadUsage, NotFound
from atlas.isa import ScanOptions, inspect_paths, table_version
from atlas.isa.files import read_file
from atlas.isa.problem import MAX_FILE_BYTES, ObjectProblem

NAMES = ("gemv_int4-gfx1100-O3", "spill-gfx1100-O3", "gemv_int4-gfx906-O3")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "objects"
    (root / "deep" / "er").mkdir(parents=True)
    for name, place in zip(NAMES, ("a.hsaco", "deep/b.co", "deep/er/c.o"), strict=True):
        shutil.copy(path_of(name), root / place)
    (root / "README.txt").write_text("no code object")
    return root


class Record:
    def __init__(self) -> None:
        self.total = -1
        self.seen: list[tuple[str, bool]] = []

    def started(self, total: int) -> None:
        self.total = total

    def inspected(self, path: str, *, reused: bool) -> None:
        self.seen.append((Path(path).name, reused))


def test_a_folder_gives_its_code_objects_in_path_order(folder: Path) -> None:
    record = Record()
    found = inspect_paths([folder], observer=record)
    assert [Path(file.path).name for file in found.objects] == ["a.hsaco", "b.co", "c.o"]
    assert (found.findings, found.skipped, found.exit_code) == ([], [], 0)
    assert record.total == 3
    assert record.seen == [("a.hsaco", False), ("b.co", False), ("c.o", False)]


def test_filter_is_searched_in_the_path_and_limit_cuts(folder: Path) -> None:
    found = inspect_paths([folder], ScanOptions(pattern="deep/"))
    assert [Path(file.path).name for file in found.objects] == ["b.co", "c.o"]
    limited = inspect_paths([folder], ScanOptions(limit=1))
    assert (len(limited.objects), limited.beyond_limit) == (1, 2)
    with pytest.raises(BadUsage, match="--filter"):
        inspect_paths([folder], ScanOptions(pattern="("))


def test_an_arch_selects_files_in_folders_and_is_demanded_of_named_files(folder: Path) -> None:
    found = inspect_paths([folder], ScanOptions(arch="gfx1100"))
    assert [Path(file.path).name for file in found.objects] == ["a.hsaco", "b.co"]
    assert [skipped.reason for skipped in found.skipped] == ["holds gfx906"]
    assert found.exit_code == 0
    named = inspect_paths([folder / "a.hsaco", folder / "deep/er/c.o"], ScanOptions(arch="gfx1100"))
    assert [finding.code for finding in named.findings] == ["arch_absent"]
    assert "gfx906" in named.findings[0].message
    with pytest.raises(NotFound) as caught:
        inspect_paths([folder], ScanOptions(arch="gfx1030"))
    assert caught.value.hint == "they hold gfx1100, gfx906"


def test_facts_for_an_arch_keep_the_whole_beside_them(tmp_path: Path) -> None:
    shutil.copy(path_of("bundle"), tmp_path / "x.hsaco")
    (file,) = inspect_paths([tmp_path], ScanOptions(arch="gfx906")).objects
    assert [image["arch"] for image in file.facts.images] == ["gfx906"]
    assert len(file.whole.images) == 3


def test_links_are_resolved_and_the_same_file_is_read_once(folder: Path) -> None:
    (folder / "link.hsaco").symlink_to(folder / "a.hsaco")
    os.link(folder / "a.hsaco", folder / "hard.hsaco")
    (folder / "deep" / "up").symlink_to(folder)
    (folder / "loop.hsaco").symlink_to(folder / "loop.hsaco")
    (folder / "gone.hsaco").symlink_to(folder / "nothing")
    found = inspect_paths([folder, folder / "a.hsaco"])
    assert len(found.objects) == 3
    assert len(found.skipped) == 4
    assert all("the same file as" in skipped.reason for skipped in found.skipped)
    assert [finding.code for finding in found.findings] == ["unreadable", "unreadable"]
    assert found.exit_code == 2


def test_pipes_are_not_opened_and_named_files_may_have_any_suffix(folder: Path) -> None:
    os.mkfifo(folder / "pipe.hsaco")
    found = inspect_paths([folder, folder / "README.txt", folder / "missing"])
    assert [finding.code for finding in found.findings] == [
        "not_regular",
        "unreadable",
        "unknown_format",
    ]
    assert len(found.objects) == 4
    with pytest.raises(ObjectProblem):
        read_file(str(folder / "pipe.hsaco"))


def test_names_that_are_not_utf8_are_one_finding(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.hsaco")).write_bytes(data_of(NAMES[0]))
    found = inspect_paths([folder])
    assert [finding.code for finding in found.findings] == ["unreadable"]
    assert found.findings[0].where.endswith("bad\\xff.hsaco")
    assert len(found.objects) == 3


def test_unreadable_files_do_not_stop_the_run(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (folder / "a.hsaco").chmod(0)
    found = inspect_paths([folder])
    assert [finding.code for finding in found.findings] == ["unreadable"]
    assert len(found.objects) == 2


def test_files_beyond_the_limit_are_not_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.hsaco"
    with huge.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    found = inspect_paths([tmp_path])
    assert [finding.code for finding in found.findings] == ["file_too_big"]


def test_a_bad_file_is_a_finding_with_its_path_and_the_run_goes_on(folder: Path) -> None:
    (folder / "b.hsaco").write_bytes(b"")
    found = inspect_paths([folder])
    assert [(finding.code, Path(finding.where).name) for finding in found.findings] == [
        ("empty", "b.hsaco")
    ]
    assert len(found.objects) == 4
    assert found.exit_code == 2


def test_known_objects_are_hashed_and_not_inspected_again(folder: Path) -> None:
    store = {file.facts.md5: file.whole.payload for file in inspect_paths([folder]).objects}
    record = Record()
    again = inspect_paths([folder], observer=record, known=store.get)
    assert [reused for _, reused in record.seen] == [True, True, True]
    assert {file.facts.md5: file.whole.payload for file in again.objects} == store


@pytest.mark.parametrize("key", ["table_version", "schema_version"])
def test_facts_of_other_versions_are_not_reused(folder: Path, key: str) -> None:
    def older(md5: str) -> dict[str, Any]:
        return {"md5": md5, "schema_version": 1, "table_version": table_version()} | {key: "old"}

    assert not any(file.reused for file in inspect_paths([folder], known=older).objects)


def test_equal_files_are_inspected_once(folder: Path) -> None:
    shutil.copy(folder / "a.hsaco", folder / "copy.hsaco")
    found = inspect_paths([folder])
    assert [file.reused for file in found.objects] == [False, True, False, False]
    assert found.objects[0].facts is found.objects[1].facts
