"""Files outside a task's bounds fail its eval, and nothing else does."""

import os
from pathlib import Path

import pytest
from support.loop import Loop

from atlas.evals.bounds import check_bounds
from atlas.task.cut import observe_cut, source_sha256


def test_an_edit_outside_the_allowed_files_fails_naming_it(loop: Loop) -> None:
    task = loop.task()
    loop.write("kernels/gemv.hip", "// faster\n")
    loop.write("kernels/other.hip", "// new\n")
    code, result = loop.eval(task)
    assert (code, result["status"]) == (1, "fail")
    assert result["bounds"]["outside"] == ["kernels/other.hip"]
    assert "kernels/other.hip" in " ".join(result["reasons"])
    code, result = loop.eval(task, "--allow-out-of-bounds")
    assert (code, result["status"]) == (0, "pass")
    assert result["bounds"]["status"] == "allowed out of bounds"
    assert result["bounds"]["outside"] == ["kernels/other.hip"]


def test_commits_since_the_cut_count(loop: Loop) -> None:
    cut = observe_cut(loop.root)
    loop.script("bench.sh", "#!/bin/sh\necho score=1\n")
    loop.commit("second")
    found = check_bounds(cut, ["kernels"], loop.root, [])
    assert (found.status, found.outside) == ("violated", ("bench.sh",))


def test_what_was_dirty_at_the_cut_and_stayed_so_is_no_change(loop: Loop) -> None:
    loop.write("notes.txt", "mine\n")
    loop.write("bench.sh", "#!/bin/sh\necho score=2\n")
    cut = observe_cut(loop.root)
    assert check_bounds(cut, [], loop.root, []).status == "ok"
    loop.commit("the same content, committed")
    assert check_bounds(cut, [], loop.root, []).status == "ok"
    loop.write("notes.txt", "changed\n")
    assert check_bounds(cut, [], loop.root, []).outside == ("notes.txt",)


def test_undoing_a_change_of_the_cut_is_a_change(loop: Loop) -> None:
    loop.write("kernels/gemv.hip", "// dirty\n")
    cut = observe_cut(loop.root)
    loop.git("checkout", "-q", "--", ".")
    assert check_bounds(cut, [], loop.root, []).outside == ("kernels/gemv.hip",)


def test_deleted_files_and_modes_count(loop: Loop) -> None:
    cut = observe_cut(loop.root)
    (loop.root / "kernels/gemv.hip").unlink()
    (loop.root / "bench.sh").chmod(0o644)
    assert check_bounds(cut, [], loop.root, []).outside == ("bench.sh", "kernels/gemv.hip")


def test_ignored_and_own_files_are_excepted_but_not_what_was_there(loop: Loop) -> None:
    cut = observe_cut(loop.root)
    loop.write("scores", "1\n")
    loop.write("task/result.json", "{}")
    loop.write("kernels/new.hip", "//\n")
    loop.write("kernels/gemv.hip", "// edited in a folder that is called own\n")
    own = [loop.root / "task", loop.root / "kernels"]
    assert check_bounds(cut, [], loop.root, own).outside == ("kernels/gemv.hip",)


@pytest.mark.parametrize("allowed", ["kernels", "kernels/", "kernels/gemv.hip", "./kernels"])
def test_a_folder_may_be_allowed(loop: Loop, allowed: str) -> None:
    cut = observe_cut(loop.root)
    loop.write("kernels/gemv.hip", "// edited\n")
    assert check_bounds(cut, [allowed], loop.root, []).status == "ok"
    assert check_bounds(cut, ["kernel", ".", "/"], loop.root, []).status == "violated"


def test_tasks_without_a_commit_and_folders_without_git_are_not_checked(
    loop: Loop, tmp_path: Path
) -> None:
    cut = observe_cut(loop.root)
    assert check_bounds({}, [], loop.root, []).status == "not checked"
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    assert check_bounds(cut, [], outside, []).status == "not checked"
    unknown = check_bounds({"git_sha": "f" * 40}, [], loop.root, [])
    assert unknown.status == "not checked"
    assert unknown.reason
    assert observe_cut(outside)["git_state"] == "unknown"


def test_the_digest_of_a_tree_sees_what_git_tracks(loop: Loop) -> None:
    before = source_sha256(loop.root)
    loop.write("out.txt", "written by a benchmark")
    assert source_sha256(loop.root) == before
    loop.write("kernels/gemv.hip", "// edited\n")
    assert source_sha256(loop.root) != before
    assert source_sha256(Path(os.sep)) is None
