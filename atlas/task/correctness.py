"""Correctness commands: whether they exist, and whether they may count as such."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from atlas.identity.command import started_by

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from atlas.evals.command import Command

_RETIRED = re.compile(r"coherence-gate[\w.-]*\.sh")


def correctness_warnings(commands: Sequence[Command], cwd: Path) -> list[str]:
    """What is doubtful about correctness commands.

    Rules of evidence: such a command must exist and check this very claim; coherence-gate scripts
    are retired as acceptance.
    """
    told = [] if commands else ["no correctness command: results are perf-only"]
    for command in commands:
        text = command.value if isinstance(command.value, str) else " ".join(command.value)
        missing = _missing_file(command, cwd)
        if missing:
            told.append(f"correctness command names {missing}, which is not there")
        if _RETIRED.search(text):
            told.append(f"{_RETIRED.search(text)[0]} is retired as acceptance")  # type: ignore[index]  # it was just found
    return told


def _missing_file(command: Command, cwd: Path) -> str | None:
    started = started_by(command.words)
    folder = cwd / started.folder if started.folder else cwd
    for name in (started.program, started.script):
        looks_like_path = name is not None and "/" in name and "$" not in name
        if name and looks_like_path and not (folder / PurePath(name)).exists():
            return name
    return None
