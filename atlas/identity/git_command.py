"""Runs git so that neither the user's taste nor the run itself leaves a trace."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.identity.files import explain

if TYPE_CHECKING:
    from collections.abc import Iterator

GIT_SECONDS = 300

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
# Variables that say where settings lie or how far to look; all other GIT_* redirect or reshape git.
_KEPT_VARIABLES = (
    "GIT_CONFIG",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
)


class GitSaysNo(Exception):
    """Git is missing, took too long, or answered with an error; the text says which."""


class Refused(GitSaysNo):
    """Git ran and ended with an error."""


@contextmanager
def index_copy(cwd: Path) -> Iterator[Path]:
    """Give a copy of the index: ``git diff`` writes refreshed times even with optional locks off.

    The copy keeps the time stamp, by which git knows entries too young to be trusted.
    """
    source = cwd / git_line(cwd, "rev-parse", "--git-path", "index")
    try:
        folder = tempfile.TemporaryDirectory(prefix="atlas-index-")
    except OSError as error:
        raise GitSaysNo(f"no place for a copy of the index: {explain(error)}") from error
    with folder as name:
        copy = Path(name, "index")
        try:
            if source.exists():
                shutil.copy2(source, copy)
        except OSError as error:
            raise GitSaysNo(f"the index can't be copied: {explain(error)}") from error
        yield copy


def git_line(cwd: Path, *arguments: str) -> str:
    """Run git for one line of text, such as a path or an id.

    Raises:
        GitSaysNo: see `run_git`.
    """
    return os.fsdecode(run_git(cwd, *arguments)).removesuffix("\n")


def run_git(cwd: Path, *arguments: str, index: Path | None = None) -> bytes:
    """Run git with default output settings in a cleaned environment.

    Args:
        cwd: where to run it.
        arguments: what follows ``git``.
        index: the index to use in place of the repository's own.

    Returns:
        What it printed on stdout.

    Raises:
        Refused: git ended with an error.
        GitSaysNo: git could not be run, or took more than GIT_SECONDS.
    """
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
        raise Refused(said[0] if said else f"git ended with {done.returncode}")
    return done.stdout


def _environment(index: Path | None) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT_VARIABLES)
    }
    kept |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    return kept if index is None else kept | {"GIT_INDEX_FILE": str(index)}
