"""The tree a task was cut from, and what has changed in it since."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlas.identity.git import DELETED, ChangedFile, changed_files, observe_git
from atlas.identity.git_command import GitSaysNo, Refused, git_line, run_git

if TYPE_CHECKING:
    from collections.abc import Sequence

_GONE = ChangedFile(DELETED, None)


def observe_cut(cwd: Path) -> dict[str, Any]:
    """The commit and the tree state around a folder.

    Returns:
        ``{git_sha, git_state, diff_md5, files: [{path, mode, sha256}]}``: every file that differs
        from the commit or is untracked and not ignored; ``{git_state: "unknown", reason}`` where
        there is no commit to go by.
    """
    git = observe_git(cwd)
    if git.sha is None or git.state == "unknown":
        return {"git_state": "unknown", "reason": git.reason or "no commit"}
    files = changed_files(cwd) if git.state == "dirty" else {}
    told = {"git_sha": git.sha, "git_state": git.state, "diff_md5": git.diff_md5}
    return {
        **{name: value for name, value in told.items() if value is not None},
        "files": [_told(name, file) for name, file in files.items()],
    }


def changed_since(cut: dict[str, Any], cwd: Path) -> dict[str, bool]:
    """What is not as it was at the cut: content, mode, or that it is there at all.

    Args:
        cut: as `observe_cut` gives it.
        cwd: a folder in the repository.

    Returns:
        Path from the top of the working tree → whether it was there at the cut, sorted.

    Raises:
        GitSaysNo: there is no repository here, or not the one with that commit.
    """
    sha = str(cut["git_sha"])
    git_line(cwd, "rev-parse", "--verify", "--quiet", f"{sha}^{{commit}}")
    then = {
        str(one["path"]): ChangedFile(str(one.get("mode")), one.get("sha256"))
        for one in cut.get("files", [])
    }
    now = changed_files(cwd)
    moved = run_git(cwd, "diff", "--name-only", "--no-renames", "-z", sha, "HEAD", "--")
    committed = {os.fsdecode(name) for name in moved.split(b"\0") if name}
    changed = {}
    for path in sorted(then.keys() | now.keys() | committed):
        was = then.get(path) or _committed(cwd, sha, path)
        if was != (now.get(path) or _committed(cwd, "HEAD", path)):
            changed[path] = was != _GONE
    return changed


def source_sha256(cwd: Path, own: Sequence[Path]) -> str | None:
    """Digest of the commit and of everything that differs from it, own files left out.

    Args:
        cwd: a folder in the repository.
        own: files and folders that this program writes.

    Returns:
        Hex digest; None where git can't tell.
    """
    places = [place.resolve() for place in own]
    try:
        root = Path(git_line(cwd, "rev-parse", "--show-toplevel")).resolve()
        lines = [git_line(cwd, "rev-parse", "HEAD")]
        lines += [
            f"{path}\0{file.mode}\0{file.sha256}"
            for path, file in changed_files(cwd).items()
            if not any((root / path).is_relative_to(place) for place in places)
        ]
    except GitSaysNo:
        return None
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _told(name: str, file: ChangedFile) -> dict[str, Any]:
    told = {"path": name, "mode": file.mode, "sha256": file.sha256}
    return {key: value for key, value in told.items() if value is not None}


def _committed(cwd: Path, commit: str, path: str) -> ChangedFile:
    """A file as it stands in a commit; a submodule there counts by its commit alone."""
    listed = run_git(cwd, "ls-tree", "-z", "--full-tree", commit, "--", path)
    if not listed:
        return _GONE
    mode, kind, name = listed.split(b"\t", 1)[0].decode().split()
    if kind != "blob":
        return ChangedFile(mode, name)
    with suppress(Refused):
        body = run_git(cwd, "cat-file", "blob", name)
        return ChangedFile(mode, hashlib.sha256(body).hexdigest())
    return _GONE
