from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from atlas.dispatch import listing
from atlas.dispatch.finding_log import MAX_PER_CODE, FindingLog
from atlas.dispatch.listing import list_tree
from atlas.dispatch.paths import Layout

if TYPE_CHECKING:
    from pathlib import Path


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n", encoding="utf-8")


def git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    more = ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *more, *arguments], cwd=root, check=True, capture_output=True)


def listed(
    root: Path, *, has_kernel_folder: bool = False
) -> tuple[list[str], list[tuple[str, str]]]:
    log = FindingLog()
    found = list_tree(root, Layout(has_kernel_folder), log)
    return [os.fsdecode(raw) for raw in found], [(f.code, f.where) for f in log.findings()]


def test_a_folder_without_git_is_walked(tmp_path: Path) -> None:
    write(
        tmp_path, "b.hip", "a/deep/c.cpp", "a/readme.md", "crates/x.rs", "other/x.rs", ".git2/d.h"
    )
    assert listed(tmp_path) == ([".git2/d.h", "a/deep/c.cpp", "b.hip", "crates/x.rs"], [])


def test_with_a_kernel_folder_only_the_known_folders_count(tmp_path: Path) -> None:
    write(
        tmp_path,
        "kernels/src/a.c",
        "kernels/b.hip",
        "crates/x.rs",
        "crates/x.cu",
        "cli/y.ts",
        "z.h",
    )
    assert listed(tmp_path, has_kernel_folder=True)[0] == [
        "cli/y.ts",
        "crates/x.rs",
        "kernels/src/a.c",
    ]


def test_git_lists_tracked_and_untracked_files_but_no_ignored_ones(tmp_path: Path) -> None:
    write(tmp_path, "kept.hip", "ignored.hip", "out/a.hip", "new.hip", "forced.hip", "sub/own.hip")
    write(tmp_path, "sub/x.hip")
    (tmp_path / ".gitignore").write_text("ignored.hip\nout/\nforced.hip\n", encoding="utf-8")
    (tmp_path / "sub/.gitignore").write_text("own.hip\n", encoding="utf-8")
    git(tmp_path, "init")
    git(tmp_path, "add", "--force", "kept.hip", "forced.hip")
    assert listed(tmp_path) == (["forced.hip", "kept.hip", "new.hip", "sub/x.hip"], [])


def test_a_folder_within_a_work_tree_is_listed_relative_to_itself(tmp_path: Path) -> None:
    write(tmp_path, "outside.hip", "part/a.hip", "part/ignored.hip")
    (tmp_path / ".gitignore").write_text("ignored.hip\n", encoding="utf-8")
    git(tmp_path, "init")
    assert listed(tmp_path / "part")[0] == ["a.hip"]


def test_variables_of_a_hook_do_not_point_git_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a/x.hip", "b/y.hip")
    for name in "ab":
        git(tmp_path / name, "init")
        git(tmp_path / name, "add", ".")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "b/.git"))
    assert listed(tmp_path / "a")[0] == ["x.hip"]


def test_submodules_and_repositories_within_are_listed_with_their_own_rules(tmp_path: Path) -> None:
    module, root = tmp_path / "module", tmp_path / "root"
    write(module, "m.hip")
    (module / ".gitignore").write_text("*.cu\n", encoding="utf-8")
    git(module, "init")
    git(module, "add", ".")
    git(module, "commit", "-m", "start")
    write(root, "a.hip", "inner/i.hip")
    git(root, "init")
    git(root / "inner", "init")
    git(root, "submodule", "add", str(module), "libs/m")
    git(root, "submodule", "add", str(module), "gone")
    write(root, "libs/m/ignored.cu", "libs/m/new.hip")
    (root / "gone/.git").unlink()
    names, findings = listed(root)
    assert names == ["a.hip", "inner/i.hip", "libs/m/m.hip", "libs/m/new.hip"]
    assert findings == [("submodule_absent", "gone/")]


@pytest.mark.parametrize("with_git", [False, True])
def test_symbolic_links_are_said_and_not_followed(tmp_path: Path, *, with_git: bool) -> None:
    write(tmp_path, "a/x.hip")
    (tmp_path / "a/loop").symlink_to(tmp_path)
    (tmp_path / "link.hip").symlink_to(tmp_path / "a/x.hip")
    (tmp_path / "self.hip").symlink_to(tmp_path / "self.hip")
    (tmp_path / "link.md").symlink_to(tmp_path / "a/x.hip")
    if with_git:
        git(tmp_path, "init")
        git(tmp_path, "add", ".")
    names, findings = listed(tmp_path)
    assert names == ["a/x.hip"]
    assert sorted(findings) == [
        ("symlink", "a/loop"),
        ("symlink", "link.hip"),
        ("symlink", "self.hip"),
    ]


def test_a_kernel_folder_behind_a_link_is_said(tmp_path: Path) -> None:
    write(tmp_path, "real/src/a.hip")
    (tmp_path / "kernels").symlink_to(tmp_path / "real")
    assert listed(tmp_path, has_kernel_folder=True) == ([], [("symlink", "kernels")])


def test_a_link_to_an_impossible_name_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "long").symlink_to("x" * 300)
    (tmp_path / "long.hip").symlink_to("x" * 300)
    assert listed(tmp_path) == ([], [("symlink", "long.hip")])


def test_findings_of_a_walk_come_in_the_order_of_names(tmp_path: Path) -> None:
    names = [f"p{number}.hip" for number in range(9)]
    for name in reversed(names):
        os.mkfifo(tmp_path / name)
    assert [where for _, where in listed(tmp_path)[1]] == names


def test_pipes_are_said(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.hip")
    assert listed(tmp_path) == ([], [("not_regular", "pipe.hip")])


def test_names_that_are_no_utf8_or_have_line_feeds(tmp_path: Path) -> None:
    for name in (b"odd\xff.hip", b"line\nfeed.hip", b'quo"te\t.hip'):
        (tmp_path / os.fsdecode(name)).write_bytes(b"x")
    expected = ["line\nfeed.hip", "odd\udcff.hip", 'quo"te\t.hip']
    assert sorted(listed(tmp_path)[0]) == expected
    git(tmp_path, "init")
    git(tmp_path, "add", "odd*")
    assert sorted(listed(tmp_path)[0]) == expected


def test_a_folder_that_cannot_be_read_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.hip", "shut/b.hip")
    scandir = os.scandir

    def refusing(path: bytes) -> object:
        if path.endswith((b"shut/", b"shut")):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert listed(tmp_path) == (["a.hip"], [("unreadable", "shut/")])


def test_without_git_installed_the_tree_is_walked_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.hip")
    git(tmp_path, "init")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert listed(tmp_path) == (["a.hip"], [("git_refused", "")])


def test_a_broken_repository_is_walked_and_a_broken_inner_one_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a.hip", "in/b.hip")
    git(tmp_path, "init")
    git(tmp_path / "in", "init")
    (tmp_path / "in/.git/index").write_bytes(b"broken")
    assert listed(tmp_path) == (["a.hip"], [("git_refused", "in/")])
    (tmp_path / ".git/index").write_bytes(b"broken")
    names, findings = listed(tmp_path)
    assert names == ["a.hip", "in/b.hip"]
    assert findings == [("git_refused", "")]


def test_a_repository_cannot_make_the_scan_run_a_program(tmp_path: Path) -> None:
    write(tmp_path, "a.hip")
    git(tmp_path, "init")
    program = tmp_path / "monitor.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n", encoding="utf-8")
    program.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(program))
    assert listed(tmp_path)[0] == ["a.hip"]
    assert not (tmp_path / "ran").exists()


def test_entries_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, *(f"f{number}.hip" for number in range(5)))
    monkeypatch.setattr(listing, "MAX_ENTRIES", 3)
    names, findings = listed(tmp_path)
    assert len(names) == 3
    assert findings == [("entry_limit", "")]
    monkeypatch.setattr(listing, "MAX_ENTRIES", 5)
    assert listed(tmp_path)[1] == []


def test_of_many_findings_the_first_are_listed_and_the_others_counted() -> None:
    log = FindingLog()
    for number in range(MAX_PER_CODE + 3):
        log.add("symlink", "A link.", str(number))
    log.add("binary", "Binary.", "x")
    found = log.findings()
    assert [f.code for f in found] == ["symlink"] * MAX_PER_CODE + ["binary", "symlink"]
    assert found[-1].message == "3 more like this are not listed."
