"""The commit a measurement was made from, and the digests of what differs from it.

Two digests describe a dirty tree. ``diff_md5`` is the one corpora carry: md5 over the text of
``git status --porcelain=v1``, a newline, and ``git diff --binary HEAD --``. ``tree_md5`` also sees
the content of untracked files. Both are independent of the user's taste (colours, prefixes,
external diff programs, …), and nothing here writes to the repository: git works on a copy of the
index.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from atlas.identity.files import digest_file
from atlas.identity.git_command import GitSaysNo, Refused, git_line, index_copy, run_git
from atlas.identity.record import Record

DELETED = "000000"
SUBMODULE = "160000"
FOLDER = "040000"
_MAX_NESTING = 8

# Git's own defaults differ: status reports untracked files of a submodule, diff does not.
_STATUS = ("-c", "diff.ignoreSubmodules=none", "status", "--porcelain=v1")
_DIFF_OPTIONS = "--binary --no-ext-diff --no-textconv --no-color --src-prefix=a/ --dst-prefix=b/"
_DIFF = ("-c", "diff.ignoreSubmodules=untracked", "diff", *_DIFF_OPTIONS.split(), "HEAD", "--")


class ChangedFile(NamedTuple):
    """One file that differs from HEAD, or is untracked and not ignored.

    Attributes:
        mode: git's octal mode, ``000000`` for a deleted file, ``040000`` for a folder in its place
            (or a submodule that is not checked out).
        sha256: hex digest of the content (of the target for a link, of the nested state for a
            repository within the tree); None for a deleted or unreadable file and for a folder.
    """

    mode: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class GitIdentity(Record):
    """The state of the source tree around a folder.

    Attributes:
        state: ``clean``, ``dirty``, or ``unknown`` (no git, no repository, no commit): never a
            guess.
        sha: full commit id of HEAD.
        committed_us: when that commit was made, as it says itself, UTC microseconds.
        branch: short branch name; None when HEAD is detached.
        dirty: whether anything differs from HEAD or is untracked.
        diff_md5: md5 of status text, newline, binary diff; ``68b329da9893e34099c7d8ad5cb9c940``
            when clean.
        tree_md5: md5 over HEAD and all changed and untracked files with mode and content.
        root: top folder of the working tree.
        reason: why something above is unknown.
    """

    state: Literal["clean", "dirty", "unknown"]
    sha: str | None = None
    committed_us: int | None = None
    branch: str | None = None
    dirty: bool | None = None
    diff_md5: str | None = None
    tree_md5: str | None = None
    root: str | None = None
    reason: str | None = None


def observe_git(cwd: Path) -> GitIdentity:
    """Observe the repository that holds a folder; failures make the state ``unknown``, with why."""
    root = branch = None
    try:
        root = git_line(cwd, "rev-parse", "--show-toplevel")
        branch = _branch(cwd)
        sha = _head(cwd)
        if sha is None:
            return GitIdentity(
                "unknown", branch=branch, root=root, reason="the repository has no commit"
            )
        with index_copy(cwd) as index:
            status = run_git(cwd, *_STATUS, index=index)
            diff = run_git(cwd, *_DIFF, index=index)
        committed_us = _committed_us(cwd, sha)
        tree = _tree_state(sha, changed_files(cwd) if status or diff else {})
    except GitSaysNo as error:
        return GitIdentity("unknown", branch=branch, root=root, reason=str(error))
    return GitIdentity(
        state="dirty" if status or diff else "clean",
        sha=sha,
        committed_us=committed_us,
        branch=branch,
        dirty=bool(status or diff),
        diff_md5=diff_md5(status, diff),
        tree_md5=None if tree is None else _md5(tree),
        root=root,
        reason="a changed file could not be read" if tree is None else None,
    )


def diff_md5(status: bytes, diff: bytes) -> str:
    r"""Digest status and diff as text with universal newlines.

    The tool whose corpora are compared read both as UTF-8 text, where ``\r\n`` and ``\r`` become
    ``\n``. Doing this on bytes gives the same for every text that is UTF-8; other bytes are kept as
    they are (it failed on them), so that two trees that differ in them stay different.
    """
    text = status + b"\n" + diff
    text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return _md5(text)


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def changed_files(cwd: Path) -> dict[str, ChangedFile]:
    """List what differs from HEAD, staged or not, and what is untracked and not ignored.

    Returns:
        Path from the top of the working tree → mode and content digest, sorted by path bytes. A
        rename is a deleted and a new file. Bytes that are no UTF-8 are surrogates (``os.fsencode``
        gives them back).

    Raises:
        GitSaysNo: there is no working tree, or git failed.
    """
    return _changed_files(cwd, 0)


def _changed_files(cwd: Path, depth: int) -> dict[str, ChangedFile]:
    root = Path(git_line(cwd, "rev-parse", "--show-toplevel"))
    with index_copy(cwd) as index:
        listing = run_git(cwd, *_STATUS, "-z", "--untracked-files=all", "--no-renames", index=index)
    names = sorted(entry[3:].rstrip(b"/") for entry in listing.split(b"\0") if len(entry) > 3)
    return {os.fsdecode(name): _observe(root / os.fsdecode(name), depth) for name in names}


def _observe(path: Path, depth: int) -> ChangedFile:
    mode = 0
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            target = os.fsencode(path.readlink())
            return ChangedFile("120000", hashlib.sha256(target).hexdigest())
        if stat.S_ISDIR(mode) and not (path / ".git").exists():
            return ChangedFile(FOLDER, None)
        if stat.S_ISDIR(mode):
            return ChangedFile(SUBMODULE, _nested_digest(path, depth + 1))
        git_mode = "100755" if mode & stat.S_IXUSR else "100644"
        return ChangedFile(git_mode, digest_file(path, "sha256"))
    except (FileNotFoundError, NotADirectoryError):
        return ChangedFile(DELETED, None)
    except (OSError, GitSaysNo):
        return ChangedFile(f"{stat.S_IFMT(mode) or stat.S_IFREG:06o}", None)


def _nested_digest(path: Path, depth: int) -> str | None:
    """Digest a submodule or nested repository: its own HEAD and its own changes."""
    if depth > _MAX_NESTING:
        return None
    state = _tree_state(_head(path) or "", _changed_files(path, depth))
    return None if state is None else hashlib.sha256(state).hexdigest()


def _tree_state(sha: str, changed: dict[str, ChangedFile]) -> bytes | None:
    """Lay out HEAD and the changes for a digest; None when a file that exists could not be read.

    One line ``sha``, then per file ``path NUL mode NUL sha256`` and a newline, sorted by path
    bytes; the digest is empty for what has no content of its own.
    """
    lines = [sha.encode() + b"\n"]
    for name, file in changed.items():
        if file.sha256 is None and file.mode not in {DELETED, FOLDER}:
            return None
        lines.append(os.fsencode(name) + f"\0{file.mode}\0{file.sha256 or ''}\n".encode())
    return b"".join(lines)


def _head(cwd: Path) -> str | None:
    with suppress(Refused):
        return git_line(cwd, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return None


def _committed_us(cwd: Path, sha: str) -> int:
    return int(git_line(cwd, "show", "--no-patch", "--format=%ct", sha)) * 1_000_000


def _branch(cwd: Path) -> str | None:
    with suppress(Refused):
        return git_line(cwd, "symbolic-ref", "--quiet", "--short", "HEAD")
    return None
