"""One row of a kernel table, in both layouts the engines print.

``NAME  Nx  Tms  (Uµs/call)  P%  B GiB/s`` (benches) and ``NAME  calls  total_ms  us/call  P%  MB``
(demos).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atlas.outputs.numbers import MICRO, NUMBER, Number, read
from atlas.outputs.reading import ProfileKernel

if TYPE_CHECKING:
    from atlas.outputs.segments import Line
    from ledger.finding import Finding

_LONGEST_ROW = 2000  # templated kernel names are long, generated text is longer

_TIMES = re.compile(r"\s([0-9][0-9.,]*)x\s+(\S+?)\s?ms(?=\s|$)")
_PER_CALL = re.compile(rf"\(\s*({NUMBER})\s?{MICRO}/call\s*\)")
_PERCENT = re.compile(rf"(?:^|\s)({NUMBER})\s?%")
_BANDWIDTH = re.compile(rf"(?:^|\s)({NUMBER})\s?GiB/s")


def looks_like_row(text: str) -> bool:
    """Whether a line has the shape of a kernel row (its numbers may still be refused)."""
    if len(text) > _LONGEST_ROW:
        return False
    if "x" in text and "ms" in text and _TIMES.search(text):
        return True
    return "%" in text and _columns(text) is not None


def is_column_row(text: str) -> bool:
    """Whether a row has the demos' layout, which other programs' tables resemble."""
    return _TIMES.search(text) is None


def kernel_row(line: Line, findings: list[Finding]) -> ProfileKernel | None:
    """The kernel of a row; None when calls or time can't be read (a finding says so).

    Args:
        line: a line that `looks_like_row` accepts.
        findings: receives why a number was refused.
    """
    match = _TIMES.search(line.text)
    if match is None:
        return _column_row(line, findings)
    name = line.text[: match.start()].strip()
    rest = line.text[match.end() :]
    calls = read(match[1], f"calls of {name[:80]}", line.no, findings)
    total = read(match[2], f"time of {name[:80]}", line.no, findings)
    if not name or calls is None or total is None:
        return None

    def optional(pattern: re.Pattern[str], what: str) -> Number | None:
        found = pattern.search(rest)
        return read(found[1], f"{what} of {name[:80]}", line.no, findings) if found else None

    return ProfileKernel(
        name,
        calls,
        total,
        avg_us=optional(_PER_CALL, "us/call"),
        pct=optional(_PERCENT, "share"),
        gib_s=optional(_BANDWIDTH, "bandwidth"),
    )


def _columns(text: str) -> list[str] | None:
    """Name and the five columns of a demo's row, or None when the line has another shape."""
    cells = text.rsplit(None, 5)
    if len(cells) != 6 or not cells[4].endswith("%"):
        return None
    numeric = all(re.fullmatch(NUMBER, cell.rstrip("%")) for cell in cells[2:])
    return cells if numeric and re.fullmatch("[0-9]+", cells[1]) else None


def _column_row(line: Line, findings: list[Finding]) -> ProfileKernel | None:
    cells = _columns(line.text)
    if cells is None:
        return None
    name = cells[0].strip()
    calls, total, average, share, megabytes = (
        read(cell, f"{what} of {name[:80]}", line.no, findings)
        for what, cell in zip(("calls", "time", "us/call", "share", "MB"), cells[1:], strict=True)
    )
    if calls is None or total is None:
        return None
    return ProfileKernel(name, calls, total, avg_us=average, pct=share, mb=megabytes)
