"""Lists the files of a source tree: what git tracks or would track, else what a walk meets.

Symbolic links are never followed, so no loop can be entered and nothing outside the tree is read.
"""

from __future__ import annotations

import os
import subprocess
from itertools import islice
from typing import TYPE_CHECKING

from atlas.dispatch.paths import is_folder, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from atlas.dispatch.finding_log import FindingLog
    from atlas.dispatch.paths import Layout

MAX_ENTRIES = 1_000_000
GIT_TIMEOUT_S = 120.0

_SUBMODULE = b"160000"
_LINK = b"120000"


class GitRefusedError(Exception):
    """Git is not installed, or can't list this tree."""


def list_tree(root: Path, layout: Layout, log: FindingLog) -> list[bytes]:
    """The paths the layout wants, relative to the root, sorted by their bytes.

    Inside a git work tree these are tracked files and untracked ones that are not ignored, also in
    submodules that are checked out. A tree that git refuses to list is walked, and that is said.
    """
    lister = _Lister(root, layout, log)
    if any((folder / ".git").exists() for folder in (root, *root.parents)):
        try:
            return lister.collect(lister.by_git(b""))
        except GitRefusedError as refusal:
            log.add("git_refused", f"Git can't list it, so ignored files are read too: {refusal}")
    return lister.collect(lister.by_walking())


class _Lister:
    def __init__(self, root: Path, layout: Layout, log: FindingLog) -> None:
        self._root = root
        self._layout = layout
        self._log = log

    def collect(self, entries: Iterator[bytes]) -> list[bytes]:
        """The wanted ones of the entries, each once."""
        wanted = {raw for raw in islice(entries, MAX_ENTRIES) if self._layout.wants(raw)}
        if next(entries, None) is not None:
            self._log.add("entry_limit", f"Only {MAX_ENTRIES} entries of the tree were looked at.")
        return sorted(wanted)

    def by_git(self, prefix: bytes) -> Iterator[bytes]:
        """The files git knows or would take, below a prefix that is empty or ends with ``/``."""
        folder = self._at(prefix)
        for entry in _git_list(folder, "--stage"):
            about, _, path = entry.partition(b"\t")
            mode = about[:6]
            if mode == _SUBMODULE:
                yield from self._nested(prefix + path + b"/")
            elif mode == _LINK:
                self._say_link(prefix + path)
            else:
                yield prefix + path
        for path in _git_list(folder, "--others", "--exclude-standard"):
            if path.endswith(b"/"):  # git stops at repositories that are no submodules
                yield from self._nested(prefix + path)
            else:
                yield prefix + path

    def _nested(self, prefix: bytes) -> Iterator[bytes]:
        if not self._layout.covers(prefix):
            return
        if not (self._at(prefix) / ".git").exists():
            self._log.add("submodule_absent", "The submodule is not checked out.", shown(prefix))
            return
        try:
            yield from self.by_git(prefix)
        except GitRefusedError as refusal:
            self._log.add(
                "git_refused", f"Git can't list this repository: {refusal}", shown(prefix)
            )

    def by_walking(self) -> Iterator[bytes]:
        """The regular files below the root, whatever they are."""
        folders = [b""]
        while folders:
            prefix = folders.pop()
            for entry in self._scan(prefix):
                raw = prefix + entry.name
                if entry.is_symlink():
                    self._say_link(raw)
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name != b".git" and self._layout.covers(raw + b"/"):
                        folders.append(raw + b"/")
                elif entry.is_file(follow_symlinks=False):
                    yield raw
                elif self._layout.wants(raw):
                    self._log.add("not_regular", "It is no regular file.", shown(raw))

    def _at(self, raw: bytes) -> Path:
        return self._root / os.fsdecode(raw)

    def _scan(self, prefix: bytes) -> list[os.DirEntry[bytes]]:
        try:
            with os.scandir(os.fsencode(self._at(prefix))) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._log.add("unreadable", f"{error.strerror}.", shown(prefix))
            return []

    def _say_link(self, raw: bytes) -> None:
        leads_to_folder = self._layout.covers(raw + b"/") and is_folder(self._at(raw))
        if leads_to_folder or self._layout.wants(raw):
            self._log.add("symlink", "It is a symbolic link, which is not followed.", shown(raw))


def _git_list(folder: Path, *options: str) -> Iterator[bytes]:
    """Entries of ``git ls-files`` below a folder.

    Raises:
        GitRefusedError: git is missing, failed, or took too long.
    """
    # a repository may name a program as its file-system monitor: never run it
    command = ["git", "-c", "core.fsmonitor=false", "ls-files", "-z", *options]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=_git_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitRefusedError(str(error)) from error
    if done.returncode:
        raise GitRefusedError(done.stderr.decode("utf-8", "replace").strip().partition("\n")[0])
    return (entry for entry in done.stdout.split(b"\0") if entry)


def _git_environment() -> dict[str, str]:
    """The environment without what points git at another repository, as it does in hooks."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return {**kept, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
