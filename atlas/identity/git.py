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
import shutil
import stat
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from atlas.identity.files import digest_file, explain
from atlas.identity.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

GIT_SECONDS = 300
DELETED = "000000"
SUBMODULE = "160000"
_MAX_NESTING = 8

# Settings that shape what git prints, set to what git does without any configuration.
_DEFAULTS = (
    "color.ui=never",
    "color.diff=never",
    "color.status=never",
    "column.ui=never",
    "core.abbrev=auto",
    "core.quotePath=true",
    "core.fsmonitor=false",
    "diff.algorithm=default",
    "diff.context=3",
    "diff.indentHeuristic=true",
    "diff.interHunkContext=0",
    "diff.mnemonicPrefix=false",
    "diff.noPrefix=false",
    "diff.orderFile=/dev/null",
    "diff.relative=false",
    "diff.renameLimit=1000",
    "diff.renames=true",
    "diff.submodule=short",
    "diff.suppressBlankEmpty=false",
    "status.renameLimit=1000",
    "status.renames=true",
    "status.showUntrackedFiles=normal",
)
# Git's own defaults differ: status reports untracked files of a submodule, diff does not.
_STATUS = ("-c", "diff.ignoreSubmodules=none", "status", "--porcelain=v1")
_DIFF = (
    *(
        "-c",
        "diff.ignoreSubmodules=untracked",
        "diff",
        "--binary",
        "--no-ext-diff",
        "--no-textconv",
    ),
    *("--no-color", "--src-prefix=a/", "--dst-prefix=b/", "HEAD", "--"),
)
# Variables that say where settings lie or how far to look; all other GIT_* redirect or reshape git.
_KEPT_VARIABLES = (
    "GIT_CONFIG",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
)


class ChangedFile(NamedTuple):
    """One file that differs from HEAD, or is untracked and not ignored.

    Attributes:
        mode: git's octal mode, ``000000`` for a deleted file.
        sha256: hex digest of the content (of the target for a link, of the nested state for a
            repository within the tree); None for a deleted or unreadable file.
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
    branch: str | None = None
    dirty: bool | None = None
    diff_md5: str | None = None
    tree_md5: str | None = None
    root: str | None = None
    reason: str | None = None


class GitSaysNo(Exception):
    """Git is missing, took too long, or answered with an error; the text says which."""


def observe_git(cwd: Path) -> GitIdentity:
    """Observe the repository that holds a folder; failures make the state ``unknown``, with why."""
    root = branch = None
    try:
        root = _line(cwd, "rev-parse", "--show-toplevel")
        branch = _branch(cwd)
        sha = _head(cwd)
        if sha is None:
            return GitIdentity(
                "unknown", branch=branch, root=root, reason="the repository has no commit"
            )
        with _index_copy(cwd) as index:
            status = _git(cwd, *_STATUS, index=index)
            diff = _git(cwd, *_DIFF, index=index)
        tree = _tree_state(Path(root), sha, changed_files(cwd))
    except GitSaysNo as error:
        return GitIdentity("unknown", branch=branch, root=root, reason=str(error))
    return GitIdentity(
        state="dirty" if status or diff else "clean",
        sha=sha,
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
    root = Path(_line(cwd, "rev-parse", "--show-toplevel"))
    with _index_copy(cwd) as index:
        listing = _git(cwd, *_STATUS, "-z", "--untracked-files=all", "--no-renames", index=index)
    names = sorted(entry[3:].rstrip(b"/") for entry in listing.split(b"\0") if len(entry) > 3)
    return {os.fsdecode(name): _observe(root / os.fsdecode(name), depth) for name in names}


def _observe(path: Path, depth: int) -> ChangedFile:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return ChangedFile(DELETED, None)
    try:
        if stat.S_ISLNK(mode):
            target = os.fsencode(path.readlink())
            return ChangedFile("120000", hashlib.sha256(target).hexdigest())
        if stat.S_ISDIR(mode):
            return ChangedFile(SUBMODULE, _nested_digest(path, depth + 1))
        git_mode = "100755" if mode & stat.S_IXUSR else "100644"
        return ChangedFile(git_mode, digest_file(path, "sha256"))
    except (OSError, GitSaysNo):
        return ChangedFile(f"{stat.S_IFMT(mode):06o}", None)


def _nested_digest(path: Path, depth: int) -> str | None:
    """Digest a submodule or nested repository: its own HEAD and its own changes."""
    if depth > _MAX_NESTING or not (path / ".git").exists():
        return None
    state = _tree_state(path, _head(path) or "", _changed_files(path, depth))
    return None if state is None else hashlib.sha256(state).hexdigest()


def _tree_state(root: Path, sha: str, changed: dict[str, ChangedFile]) -> bytes | None:
    """Lay out HEAD and the changes for a digest; None when a file that exists could not be read.

    One line ``sha``, then per file ``path NUL mode NUL sha256`` and a newline, sorted by path
    bytes; the digest is empty for a deleted file. A submodule that is not checked out has no
    content either.
    """
    lines = [sha.encode() + b"\n"]
    for name, file in changed.items():
        hollow = file.mode == SUBMODULE and not (root / name / ".git").exists()
        if file.sha256 is None and file.mode != DELETED and not hollow:
            return None
        lines.append(os.fsencode(name) + f"\0{file.mode}\0{file.sha256 or ''}\n".encode())
    return b"".join(lines)


def _head(cwd: Path) -> str | None:
    with suppress(_Refused):
        return _line(cwd, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return None


def _branch(cwd: Path) -> str | None:
    with suppress(_Refused):
        return _line(cwd, "symbolic-ref", "--quiet", "--short", "HEAD")
    return None


@contextmanager
def _index_copy(cwd: Path) -> Iterator[Path]:
    """Give a copy of the index: ``git diff`` writes refreshed times even with optional locks off.

    The copy keeps the time stamp, by which git knows entries too young to be trusted.
    """
    source = cwd / _line(cwd, "rev-parse", "--git-path", "index")
    with tempfile.TemporaryDirectory(prefix="atlas-index-") as folder:
        copy = Path(folder, "index")
        with suppress(FileNotFoundError):
            shutil.copy2(source, copy)
        yield copy


class _Refused(GitSaysNo):
    """Git ran and ended with an error."""


def _line(cwd: Path, *arguments: str) -> str:
    return os.fsdecode(_git(cwd, *arguments)).removesuffix("\n")


def _git(cwd: Path, *arguments: str, index: Path | None = None) -> bytes:
    """Run git with default output settings in a cleaned environment and return what it printed."""
    settings = [word for setting in _DEFAULTS for word in ("-c", setting)]
    try:
        done = subprocess.run(
            ["git", "--no-pager", *settings, *arguments],
            cwd=cwd,
            env=_environment(index),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GitSaysNo(f"git took more than {GIT_SECONDS} s") from None
    except OSError as error:
        raise GitSaysNo(f"git could not be run: {explain(error)}") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise _Refused(said[0] if said else f"git {arguments[0]} ended with {done.returncode}")
    return done.stdout


def _environment(index: Path | None) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT_VARIABLES)
    }
    kept |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    return kept if index is None else kept | {"GIT_INDEX_FILE": str(index)}
