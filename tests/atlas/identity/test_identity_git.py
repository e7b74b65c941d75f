from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from atlas.identity import git as module
from atlas.identity import git_command
from atlas.identity.git import changed_files, diff_md5, observe_git
from atlas.identity.git_command import GitSaysNo

if TYPE_CHECKING:
    from pathlib import Path

Git = Callable[..., str]
CLEAN = "68b329da9893e34099c7d8ad5cb9c940"

HOSTILE = """
[user]
 name = a
 email = a@example.org
[color]
 ui = always
 status = always
 diff = always
[core]
 abbrev = 5
 quotePath = false
 pager = cat
[diff]
 noprefix = true
 mnemonicPrefix = true
 external = /bin/echo
 renames = copies
 context = 0
 interHunkContext = 9
 algorithm = histogram
 relative = true
 orderFile = order
 submodule = log
 ignoreSubmodules = all
 suppressBlankEmpty = true
 colorMoved = zebra
 indentHeuristic = false
[status]
 relativePaths = true
 short = true
 branch = true
 showStash = true
 showUntrackedFiles = no
 renames = false
[column]
 ui = always
[diff "shout"]
 textconv = tr a-z A-Z <
[advice]
 statusHints = true
"""


def plain(cwd: Path) -> str:
    """What the replaced tool computed, with subprocess in text mode."""

    def text(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=cwd, capture_output=True, check=True, encoding="utf-8"
        ).stdout

    whole = text("status", "--porcelain=v1") + "\n" + text("diff", "--binary", "HEAD", "--")
    return hashlib.md5(whole.encode()).hexdigest()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def mess_up(root: Path, git: Git) -> None:
    """Every kind of change at once."""
    lines = (root / "a.txt").read_text().splitlines(keepends=True)
    (root / "a.txt").write_text("".join([*lines[:3], "new\n", "\n", *lines[8:], "end, no newline"]))
    (root / "run.sh").chmod(0o755)
    (root / "data.bin").write_bytes(b"\x00\x01" * 700)
    (root / 'tab\tand "quote" é.txt').write_text("untracked, odd name\n")
    (root / "crlf.txt").write_bytes(b"one\r\ntwo\rthree\n")
    git(root, "add", "crlf.txt")
    (root / "dir").mkdir()
    (root / "dir" / "inner.txt").write_text("untracked\n")
    (root / "ignored").mkdir()
    (root / "ignored" / "x").write_text("x")
    git(root, "mv", ".gitignore", "moved name")
    (root / ".gitignore").write_text("ignored/\n")
    (root / "link").symlink_to("a.txt")


def test_a_clean_tree_has_the_well_known_digest(repo: Path, git: Git) -> None:
    seen = observe_git(repo)
    assert seen.state == "clean"
    assert seen.dirty is False
    assert seen.diff_md5 == CLEAN == plain(repo)
    assert seen.sha == git(repo, "rev-parse", "HEAD").strip()
    assert seen.branch == "main"
    assert seen.root == str(repo)
    assert seen.tree_md5 == hashlib.md5(f"{seen.sha}\n".encode()).hexdigest()
    assert "reason" not in seen.as_json()


def test_a_dirty_tree_equals_the_plain_computation(repo: Path, git: Git) -> None:
    mess_up(repo, git)
    seen = observe_git(repo)
    assert seen.state == "dirty"
    assert seen.dirty is True
    assert seen.diff_md5 == plain(repo) != CLEAN
    assert observe_git(repo / "dir") == seen


def test_no_setting_bends_the_digests(
    repo: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / ".gitattributes").write_text("a.txt diff=shout\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "attributes")
    mess_up(repo, git)
    before = observe_git(repo)
    assert before.diff_md5 == plain(repo)
    (tmp_path / "gitconfig").write_text(HOSTILE)
    (tmp_path / "order").write_text("run.sh\n")
    for name, value in {
        "GIT_DIFF_OPTS": "-u0",
        "GIT_EXTERNAL_DIFF": "/bin/echo",
        "GIT_DIR": str(tmp_path),
        "GIT_INDEX_FILE": str(tmp_path / "other"),
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_TRACE": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.noprefix",
        "GIT_CONFIG_VALUE_0": "true",
    }.items():
        monkeypatch.setenv(name, value)
    assert observe_git(repo) == before
    assert observe_git(repo / "dir") == before


@pytest.mark.parametrize(
    "setting",
    [
        "color.ui=always",
        "diff.noprefix=true",
        "diff.mnemonicPrefix=true",
        "diff.external=/bin/false",
        "core.abbrev=4",
        "core.quotePath=false",
        "diff.context=1",
        "diff.renames=false",
        "diff.relative=true",
        "status.showUntrackedFiles=all",
        "status.relativePaths=true",
    ],
)
def test_one_odd_setting_of_the_repository(repo: Path, git: Git, setting: str) -> None:
    mess_up(repo, git)
    before = observe_git(repo)
    git(repo, "config", *setting.split("=", 1))
    assert observe_git(repo).as_json() == before.as_json()


def test_works_without_any_user_configuration(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo / "new").write_text("x")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/nonexistent/gitconfig")
    monkeypatch.setenv("HOME", "/nonexistent")
    assert observe_git(repo).diff_md5 == plain(repo)


def test_the_index_is_never_touched(repo: Path, git: Git) -> None:
    git(repo, "config", "diff.autoRefreshIndex", "true")
    for name in ("a.txt", "run.sh", "data.bin"):
        os.utime(repo / name, (1_500_000_000, 1_500_000_000))  # stat differs, content does not
    index = repo / ".git" / "index"
    before = (index.read_bytes(), index.stat().st_mtime_ns, index.stat().st_ino)
    listing = sorted((repo / ".git").iterdir())
    seen = observe_git(repo)
    assert changed_files(repo) == {}
    assert (index.read_bytes(), index.stat().st_mtime_ns, index.stat().st_ino) == before
    assert sorted((repo / ".git").iterdir()) == listing
    assert (seen.state, seen.diff_md5) == ("clean", CLEAN)


def test_a_change_right_after_the_commit_is_seen(repo: Path) -> None:
    before = (repo / "a.txt").stat()
    text = (repo / "a.txt").read_text().replace("line 1\n", "line X\n")
    (repo / "a.txt").write_text(text)
    os.utime(repo / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))  # same size, same time
    assert observe_git(repo).diff_md5 == plain(repo) != CLEAN


def test_changed_files_carry_mode_and_content(repo: Path, git: Git) -> None:
    mess_up(repo, git)
    (repo / "a.txt").unlink()
    found = changed_files(repo)
    odd = 'tab\tand "quote" é.txt'
    assert found["a.txt"] == ("000000", None)
    assert found["run.sh"] == ("100755", sha256(b"#!/bin/sh\n"))
    assert found["crlf.txt"] == ("100644", sha256(b"one\r\ntwo\rthree\n"))
    assert found[odd] == ("100644", sha256(b"untracked, odd name\n"))
    assert found["dir/inner.txt"] == ("100644", sha256(b"untracked\n"))
    assert found["link"] == ("120000", sha256(b"a.txt"))
    assert found["moved name"] == ("100644", sha256(b"ignored/\n"))
    assert set(found) == {
        "a.txt", "run.sh", "data.bin", "crlf.txt", odd, "dir/inner.txt", "link", "moved name"
    } | ({".gitignore"} & set(found))  # fmt: skip
    assert "ignored/x" not in found
    assert list(found) == sorted(found, key=os.fsencode)


def test_the_tree_digest_sees_untracked_content_and_modes(repo: Path) -> None:
    new = repo / "new.txt"
    digests = []
    for content, mode in (("one", 0o644), ("two", 0o644), ("two", 0o755)):
        new.write_text(content)
        new.chmod(mode)
        digests.append((observe_git(repo).tree_md5, observe_git(repo).diff_md5))
    trees, diffs = zip(*digests, strict=True)
    assert len(set(trees)) == 3
    assert len(set(diffs)) == 1  # status names untracked files, and no more
    sha = observe_git(repo).sha
    content_digest = sha256(b"two")
    expected = f"{sha}\nnew.txt\x00100755\x00{content_digest}\n".encode()
    assert trees[2] == hashlib.md5(expected).hexdigest()


def test_a_huge_untracked_file_is_read_in_chunks(repo: Path) -> None:
    with (repo / "huge").open("wb") as stream:
        stream.truncate(40_000_000)
    import tracemalloc

    tracemalloc.start()
    found = changed_files(repo)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found["huge"].sha256 == sha256(bytes(40_000_000))
    assert peak < 10_000_000


def test_bytes_that_are_no_utf8(repo: Path, git: Git) -> None:
    name = os.fsdecode(b"na\xefve.txt")
    (repo / name).write_bytes(b"x")
    (repo / "latin.txt").write_bytes(b"caf\xe9\n")
    git(repo, "add", "latin.txt")
    one = observe_git(repo)
    (repo / "latin.txt").write_bytes(b"caf\xe8\n")
    git(repo, "add", "latin.txt")
    two = observe_git(repo)
    assert one.diff_md5 != two.diff_md5
    assert one.tree_md5 != two.tree_md5
    assert changed_files(repo)[name] == ("100644", sha256(b"x"))


def test_universal_newlines_as_in_text_mode(tmp_path: Path) -> None:
    status, diff = b" M a\r\n", "é\r\n+x\ry\n".encode()
    saved = tmp_path / "text"
    saved.write_bytes(status + b"\n" + diff)
    expected = hashlib.md5(saved.read_text(encoding="utf-8").encode()).hexdigest()
    assert diff_md5(status, diff) == expected
    assert diff_md5(b"", b"") == CLEAN


@pytest.fixture
def parent(repo: Path, tmp_path: Path, git: Git) -> Path:
    root = tmp_path / "parent"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "submodule", "--quiet", "add", str(repo), "sub")
    git(root, "commit", "-qm", "with a submodule")
    return root


def test_submodules(parent: Path, git: Git) -> None:
    assert observe_git(parent).state == "clean"
    states = []
    (parent / "sub" / "new.txt").write_text("untracked in the submodule")
    states.append(observe_git(parent))
    assert states[-1].diff_md5 == plain(parent)
    assert changed_files(parent)["sub"].mode == "160000"
    (parent / "sub" / "new.txt").write_text("other content")
    states.append(observe_git(parent))
    (parent / "sub" / "a.txt").write_text("changed")
    states.append(observe_git(parent))
    assert states[-1].diff_md5 == plain(parent)
    git(parent / "sub", "add", "-A")
    git(parent / "sub", "commit", "-qm", "moved on")
    states.append(observe_git(parent))
    assert states[-1].diff_md5 == plain(parent)
    assert len({state.tree_md5 for state in states}) == 4
    assert observe_git(parent / "sub").state == "clean"


def test_submodule_settings_of_the_user_change_nothing(parent: Path, git: Git) -> None:
    (parent / "sub" / "new.txt").write_text("untracked in the submodule")
    before = observe_git(parent)
    git(parent, "config", "diff.ignoreSubmodules", "all")
    git(parent, "config", "diff.submodule", "diff")
    assert observe_git(parent) == before


def test_a_submodule_that_is_not_checked_out(parent: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(parent), "bare-clone")
    clone = tmp_path / "bare-clone"
    assert observe_git(clone).state == "clean"
    (clone / "sub").rmdir()
    seen = observe_git(clone)
    assert seen.diff_md5 == plain(clone)
    assert seen.tree_md5 is not None


def test_what_the_project_ignores_in_a_submodule_stays_ignored(parent: Path, git: Git) -> None:
    git(parent, "config", "-f", ".gitmodules", "submodule.sub.ignore", "dirty")
    git(parent, "commit", "-qam", "ignore a dirty submodule")
    (parent / "sub" / "a.txt").write_text("changed")
    assert observe_git(parent).diff_md5 == plain(parent)


def test_a_conflict_and_line_ends_of_another_system(repo: Path, git: Git) -> None:
    git(repo, "checkout", "-qb", "other")
    (repo / "a.txt").write_text("theirs\n")
    git(repo, "commit", "-qam", "theirs")
    git(repo, "checkout", "-q", "main")
    (repo / "a.txt").write_text("ours\n")
    git(repo, "commit", "-qam", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(repo, "merge", "other")
    git(repo, "config", "core.autocrlf", "true")
    (repo / "run.sh").write_bytes(b"#!/bin/sh\r\necho\r\n")
    seen = observe_git(repo)
    assert seen.diff_md5 == plain(repo)
    assert set(changed_files(repo)) == {"a.txt", "run.sh"}


def test_a_repository_within_the_tree(repo: Path, git: Git) -> None:
    nested = repo / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "x").write_text("1")
    first = observe_git(repo)
    (nested / "x").write_text("2")
    second = observe_git(repo)
    assert first.state == second.state == "dirty"
    assert first.tree_md5 != second.tree_md5
    assert None not in {first.tree_md5, second.tree_md5}


def test_a_linked_worktree_with_a_detached_head(repo: Path, git: Git, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "other tree"))
    tree = tmp_path / "other tree"
    (tree / "a.txt").write_text("changed\n")
    seen = observe_git(tree)
    assert seen.root == str(tree)
    assert seen.branch is None
    assert seen.diff_md5 == plain(tree) != CLEAN
    assert observe_git(repo).state == "clean"


def test_no_repository_is_unknown(tmp_path: Path) -> None:
    seen = observe_git(tmp_path)
    assert seen.state == "unknown"
    assert set(seen.as_json()) == {"state", "reason"}
    assert "git repository" in str(seen.reason)
    with pytest.raises(GitSaysNo):
        changed_files(tmp_path)


def test_no_commit_is_unknown(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    seen = observe_git(tmp_path)
    assert (seen.state, seen.sha, seen.dirty, seen.diff_md5) == ("unknown", None, None, None)
    assert seen.branch == "main"
    assert seen.reason == "the repository has no commit"


def test_no_git_no_folder_and_a_slow_git(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "could not be run" in str(observe_git(repo / "absent").reason)
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    assert observe_git(repo).state == "unknown"
    slow = tools / "git"
    slow.write_text("#!/bin/sh\nexec /bin/sleep 5\n")
    slow.chmod(0o755)
    monkeypatch.setattr(git_command, "GIT_SECONDS", 0.2)
    assert "took more than" in str(observe_git(repo).reason)


def test_an_unreadable_file_makes_the_tree_digest_unknown(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo / "secret").write_text("x")

    def refuse(*_: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module, "digest_file", refuse)
    seen = observe_git(repo)
    assert seen.state == "dirty"
    assert seen.tree_md5 is None
    assert seen.reason == "a changed file could not be read"


def test_a_folder_in_place_of_a_file(repo: Path) -> None:
    (repo / "a.txt").unlink()
    (repo / "a.txt").mkdir()
    (repo / "a.txt" / "inner").write_text("x")
    found = changed_files(repo)
    assert found == {"a.txt": ("040000", None), "a.txt/inner": ("100644", sha256(b"x"))}
    assert observe_git(repo).tree_md5 is not None


def test_no_place_for_the_copy_of_the_index(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(git_command.tempfile, "TemporaryDirectory", refuse)
    seen = observe_git(repo)
    assert seen.state == "unknown"
    assert "No space left" in str(seen.reason)


def test_a_pipe_in_place_of_a_file_does_not_block(repo: Path) -> None:
    (repo / "a.txt").unlink()
    os.mkfifo(repo / "a.txt")
    seen = observe_git(repo)
    assert seen.state == "unknown"  # git itself refuses such a diff
    assert "a.txt" in str(seen.reason)
