"""Timing of whole processes and of single calls; medians, and ratios of commands run in turn."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Line:
    """One line of the report: what was measured, its figure, and the bound it should keep."""

    what: str
    figure: str
    bound: str
    ok: bool | None

    def shown(self) -> str:
        """The line as it is printed."""
        mark = {True: "ok", False: "OVER", None: ""}[self.ok]
        return f"{self.what:<58} {self.figure:<34} {self.bound:<22} {mark}"


def seconds_of(argv: Sequence[str], cwd: Path | None = None) -> float:
    """Wall time of one process that must succeed; its output is thrown away."""
    began = time.perf_counter()
    done = subprocess.run(argv, cwd=cwd, check=False, capture_output=True, text=True)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(f"{argv[:4]} failed: {done.stderr}")
    return seconds


def in_turn(a: Sequence[str], b: Sequence[str], times: int = 9) -> tuple[float, float, float]:
    """Median seconds of two commands run in turn after a warm-up, and the median of their ratios."""
    seconds_of(a)
    seconds_of(b)
    pairs = [(seconds_of(a), seconds_of(b)) for _ in range(times)]
    ratio = statistics.median(x / y for x, y in pairs)
    return statistics.median(x for x, _ in pairs), statistics.median(y for _, y in pairs), ratio


def peak_of(argv: Sequence[str]) -> tuple[float, float]:
    """Wall seconds of a process and the most memory it held, MiB."""
    began = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{argv[:4]} failed")
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def calls(action: Callable[[], object], times: int) -> list[float]:
    """Seconds of each call."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        action()
        found.append(time.perf_counter() - began)
    return found


def atlas(*words: str) -> list[str]:
    """The installed command, in the environment that runs the bench."""
    return [str(Path(sys.executable).with_name("atlas")), *words]


def python(text: str) -> list[str]:
    """The same interpreter with a line of code."""
    return [sys.executable, "-c", text]
