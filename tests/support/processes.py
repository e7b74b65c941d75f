"""Real processes for the ledger's tests: writers that are killed at random or at a named point."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WRITER = Path(__file__).with_name("writer.py")


def environment(**more: str) -> dict[str, str]:
    """The environment in which a child finds this tree and the tests' own modules."""
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}", **more}


def start_writer(folder: Path, *arguments: str, point: str = "") -> subprocess.Popen[str]:
    """``writer.py`` on the toy ledger in ``folder``; it dies by SIGKILL at ``point``."""
    return subprocess.Popen(
        [sys.executable, str(WRITER), str(folder), *arguments],
        env=environment(DIE_AT=point),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], seconds: float = 60) -> tuple[int, str]:
    """Exit code and what was printed; a child's complaint is part of a failing test's text."""
    out, err = process.communicate(timeout=seconds)
    if process.returncode not in (0, -signal.SIGKILL):
        raise AssertionError(f"writer ended with {process.returncode}: {err}")
    return process.returncode, out
