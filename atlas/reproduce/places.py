"""Looks where rows say that files and commits lay, and tells what is there now."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlas.identity.commits import commits_held
from atlas.identity.files import observe_file
from atlas.identity.git import observe_git
from atlas.identity.git_command import GitSaysNo
from atlas.identity.model import HashCache, observe_model

if TYPE_CHECKING:
    from collections.abc import Iterable

MISSING = "missing"
_MODELS = frozenset({"model", "draft"})


@dataclass(frozen=True, slots=True)
class Seen:
    """What is at a place now.

    Attributes:
        role: binary, model, draft, prompt, code object, commit or diff.
        path: where; of a commit or diff a folder of the working tree.
        asked: the commit that was looked for; None for files.
        found: md5 of the content, or the commit; None when it isn't there or wasn't digested.
        bytes: size.
        why: why ``found`` is unknown; ``missing`` when nothing is there.
    """

    role: str
    path: str
    asked: str | None = None
    found: str | None = None
    bytes: int | None = None
    why: str | None = None


def look(places: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Look at places, each once.

    Args:
        places: ``{role, path, digest}``; several digests at one path are one look, and a model
            is digested only when some digest of it is known.

    Returns:
        The fields of `Seen`.
    """
    digests: dict[tuple[str, str], set[str]] = {}
    for place in places:
        known = digests.setdefault((place["role"], place["path"]), set())
        known |= {place["digest"]} - {None}
    seen: list[Seen] = []
    for (role, path), known in sorted(digests.items()):
        if role == "commit":
            seen += look_for_commits(path, known)
        elif role == "diff":
            seen.append(look_at_tree(path))
        else:
            seen.append(look_at_file(role, path, bool(known)))
    return [asdict(one) for one in seen]


def look_at_file(role: str, path: str, digest_it: bool) -> Seen:
    """Look at one file; models may be folders, and their digests are cached."""
    if not os.path.lexists(path):
        return Seen(role, path, why=MISSING)
    file: Any
    if role in _MODELS:
        file = observe_model(Path(path), digest_it, HashCache.of_user())
    else:
        file = observe_file(Path(path))
    return Seen(role, path, found=file.md5, bytes=file.bytes, why=file.reason)


def look_for_commits(root: str, commits: Iterable[str]) -> list[Seen]:
    """Look for commits in the repository of a folder; without one all of them are missing."""
    try:
        held = commits_held(Path(root), commits)
    except GitSaysNo:
        held = {}
    return [
        Seen("commit", root, one, found=one if one in held else None, why=_unless(one in held))
        for one in sorted(commits)
    ]


def look_at_tree(root: str) -> Seen:
    """Look at the uncommitted change of a working tree."""
    git = observe_git(Path(root))
    return Seen("diff", root, found=git.diff_md5, why=git.reason)


def _unless(is_there: bool) -> str | None:
    return None if is_there else MISSING
