"""Bounds: which files an experiment touched, against those its task allows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from atlas.identity.git_command import GitSaysNo, git_line
from atlas.task.cut import changed_since

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a check found.

    Attributes:
        status: ``ok``, ``violated``, ``allowed out of bounds``, or ``not checked``.
        changed: paths that differ from the tree at the cut, own output left out.
        outside: those of them that the task doesn't allow.
        reason: why nothing could be checked.
    """

    status: str
    changed: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The form in ``result.json``."""
        told = {"status": self.status, "changed": list(self.changed), "outside": list(self.outside)}
        return told | ({"reason": self.reason} if self.reason else {})


def check_bounds(
    cut: dict[str, Any],
    allowed: Sequence[str],
    cwd: Path,
    own: Sequence[Path],
    *,
    waived: bool = False,
) -> Bounds:
    """Compare the tree with the one the task was cut from; git says what changed.

    Args:
        cut: the commit and tree state a task carries; empty in tasks of older tools.
        allowed: files, or folders, that may change, from the top of the working tree.
        cwd: a folder in the repository.
        own: files that this program writes, and folders in which new files never count.
        waived: record a violation instead of failing for it.
    """
    if not cut.get("git_sha"):
        return Bounds("not checked", reason=cut.get("reason") or "the task carries no commit")
    try:
        root = Path(git_line(cwd, "rev-parse", "--show-toplevel")).resolve()
        changed = [
            path
            for path, was_there in changed_since(cut, cwd).items()
            if not _is_own(root / path, was_there, own)
        ]
    except GitSaysNo as error:
        return Bounds("not checked", reason=str(error))
    outside = tuple(path for path in changed if not _is_allowed(path, allowed))
    if not outside:
        return Bounds("ok", tuple(changed))
    return Bounds("allowed out of bounds" if waived else "violated", tuple(changed), outside)


def _is_own(path: Path, was_there: bool, own: Sequence[Path]) -> bool:
    """Whether this program wrote it: a file it names, or a new one in a folder of its own."""
    places = [place.resolve() for place in own]
    return path in places or (not was_there and any(path.is_relative_to(one) for one in places))


def _is_allowed(path: str, allowed: Sequence[str]) -> bool:
    name = PurePosixPath(path)
    return any(name.is_relative_to(PurePosixPath(one)) for one in allowed if one.strip("./"))
