"""Paths → the files to inspect, each once, and their bytes.

Only regular files are read; links are followed, and a file that is reached twice is read once,
told by device and inode. Folders give ``.hsaco``, ``.co`` and ``.o`` files; a named file is
taken whatever it is called.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.errors import BadUsage
from atlas.isa.problem import MAX_FILE_BYTES, ObjectProblem
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

SUFFIXES = (".hsaco", ".co", ".o")

# Without O_NONBLOCK, a file that was replaced by a pipe would be waited for.
_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that was left out on purpose, and why."""

    path: str
    reason: str


@dataclass(slots=True)
class Selection:
    """Files to inspect.

    Attributes:
        files: path, and whether it was named (not found in a folder), in order.
        skipped: what was left out.
        findings: what could not be looked at; ``where`` is the path.
    """

    files: list[tuple[str, bool]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    seen: dict[tuple[int, int], str] = field(default_factory=dict)


def select_files(paths: Iterable[str | Path], pattern: str | None = None) -> Selection:
    """Walk the paths in order, folders sorted; ``pattern`` is searched in found files' paths.

    Raises:
        BadUsage: the pattern is no regular expression.
    """
    try:
        wanted = re.compile(pattern or "")
    except re.error as error:
        raise BadUsage(f"--filter {pattern!r}: {error}.") from error
    selection = Selection()
    for path in paths:
        _visit(os.fspath(path), wanted, selection, named=True)
    return selection


def _visit(path: str, wanted: re.Pattern[str], selection: Selection, *, named: bool) -> None:
    pending = [(path, named)]
    while pending:
        at, is_named = pending.pop()
        try:
            about = Path(at).stat()
            if not stat.S_ISDIR(about.st_mode):
                _take_file(at, about, selection, named=is_named)
            elif _is_new(at, about, selection):
                pending += [(child, False) for child in _children(at, wanted)]
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            selection.findings.append(Finding("unreadable", f"{reason}.", shown(at)))


def _children(folder: str, wanted: re.Pattern[str]) -> list[str]:
    """Sub-folders and candidate files, last name first."""
    with os.scandir(folder) as entries:
        found = [
            entry.path
            for entry in entries
            if _is_folder(entry) or (entry.name.endswith(SUFFIXES) and wanted.search(entry.path))
        ]
    return sorted(found, reverse=True)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a loop of links: stat of a candidate will say so
        return False


def _take_file(path: str, about: os.stat_result, selection: Selection, *, named: bool) -> None:
    if not stat.S_ISREG(about.st_mode):
        selection.findings.append(Finding("not_regular", "This is no regular file.", shown(path)))
    elif shown(path) != path:
        message = "The name is not UTF-8: the file is left out."
        selection.findings.append(Finding("unreadable", message, shown(path)))
    elif _is_new(path, about, selection):
        selection.files.append((path, named))


def _is_new(path: str, about: os.stat_result, selection: Selection) -> bool:
    identity = (about.st_dev, about.st_ino)
    first = selection.seen.setdefault(identity, path)
    if first is not path:
        selection.skipped.append(Skipped(shown(path), f"the same file as {shown(first)}"))
    return first is path


def shown(path: str) -> str:
    """A path as text: bytes that are not UTF-8 become escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def read_file(path: str) -> bytes:
    """All bytes of a regular file.

    Raises:
        ObjectProblem: ``unreadable``, ``not_regular`` or ``file_too_big``.
    """
    try:
        with os.fdopen(os.open(path, _OPEN_FLAGS), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise ObjectProblem("not_regular", "This is no regular file.")
            if about.st_size > MAX_FILE_BYTES:
                message = f"{about.st_size} bytes; at most {MAX_FILE_BYTES} are read."
                raise ObjectProblem("file_too_big", message)
            return file.read(MAX_FILE_BYTES)
    except OSError as error:
        raise ObjectProblem("unreadable", f"{error.strerror}.") from error
