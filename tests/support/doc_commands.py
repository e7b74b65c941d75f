"""Running the commands of a page: ``console`` blocks, in one folder, from top to bottom.

A line that starts with ``$`` is a command; the lines up to the next one are what it prints, first
on stdout, then on stderr. ``…`` alone stands for any number of lines, within a line for any text. A
line ``# exit N`` tells the exit code where it isn't 0.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from support.cli import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"# exit (\d+)")


@dataclass
class Step:
    """One command, the lines it should print, and how it should end."""

    command: str
    lines: list[str] = field(default_factory=list)
    code: int = 0


def steps(page: Path) -> Iterator[Step]:
    """The commands of a page, in order."""
    for block in _BLOCK.findall(page.read_text()):
        step = None
        for line in block.splitlines():
            if line.startswith("$ "):
                if step:
                    yield step
                step = Step(line[2:])
            elif step and (told := _EXIT.fullmatch(line)):
                step.code = int(told[1])
            elif step:
                step.lines.append(line)
        if step:
            yield step


def run_step(step: Step, folder: Path, env: dict[str, str]) -> None:
    """Run a command, and compare what it printed.

    Raises:
        AssertionError: it ended otherwise, or printed something else.
    """
    us = f'"{sys.executable}"'
    shell = f'atlas() {{ {us} -m atlas "$@"; }}\npython3() {{ {us} "$@"; }}\n{step.command}'
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=folder,
        env={**env, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == step.code, f"$ {step.command}\n{printed}"
    assert matches(step.lines, printed), f"$ {step.command}\n{printed}\nwanted:\n{step.lines}"


def matches(lines: list[str], printed: str) -> bool:
    """Whether a text is what the lines tell."""
    parts = (
        r"(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + r" *\n"
        for line in lines
    )
    ended = printed if not printed or printed.endswith("\n") else f"{printed}\n"
    return re.fullmatch("".join(parts), ended) is not None
