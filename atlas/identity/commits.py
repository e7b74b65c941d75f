"""Which recorded commits a repository still holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atlas.identity.git_command import run_git

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_AT_ONCE = 500
_ID = re.compile(r"[0-9a-f]{7,40}")


def commits_held(root: Path, ids: Iterable[str]) -> dict[str, str]:
    """Find commits in a repository.

    Args:
        root: a folder of its working tree.
        ids: commit ids, 7 to 40 hex digits; other text is not asked for.

    Returns:
        For each id that is there the full one.

    Raises:
        GitSaysNo: there is no repository, or no git.
    """
    asked = sorted({one for one in ids if _ID.fullmatch(one)})
    run_git(root, "rev-parse", "--git-dir")
    held: dict[str, str] = {}
    for start in range(0, len(asked), _AT_ONCE):
        some = asked[start : start + _AT_ONCE]
        held |= _held(root, some)
    return held


def _held(root: Path, ids: list[str]) -> dict[str, str]:
    full = run_git(root, "rev-list", "--no-walk=unsorted", "--ignore-missing", *ids, "--")
    found = full.decode().split()
    pairs = ((one, next((sha for sha in found if sha.startswith(one)), None)) for one in ids)
    return {one: sha for one, sha in pairs if sha is not None}
