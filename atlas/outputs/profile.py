"""Kernel tables: ``=== PROFILE …===``, ``=== DECODE PROFILE …===``, and pasted ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atlas.outputs.numbers import NUMBER, Number, finite, read
from atlas.outputs.profile_rows import is_column_row, kernel_row, looks_like_row
from atlas.outputs.reading import Phase, ProfileTable
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atlas.outputs.segments import Line

_HEADER = re.compile(r".*=== (DECODE )?PROFILE\s*(?:\((.*)\)|:(.*?))\s*===")
_CALLS = re.compile(rf"({NUMBER}) (?:launches|kernel calls)")
_CYCLES = re.compile(rf"over ({NUMBER}) cycles")
_WALL = re.compile(rf"({NUMBER})\s?ms wall")
_KERNEL_TIME = re.compile(rf"({NUMBER})\s?ms total kernel time")
_TOTAL_LINE = re.compile(r"\s*TOTAL(?: \(serialized\))?\s+(\S+?)\s?ms\b")
_WALL_LINE = re.compile(r"\s*WALL\s+(\S+?)\s?ms\b(?:\s*\((\S+) tok/s\))?")
_COLUMN_HEAD = re.compile(r"\s*kernel\s+calls\s+total_ms\b")
_TAIL_NOTE = re.compile(r"\s*\[.{0,5}tail kernels\b.*\]\s*")
_UNLISTED = 0.05  # a table whose rows miss more than this share of its total is worth a word


def profile_tables(lines: Iterable[Line]) -> tuple[list[ProfileTable], list[Finding]]:
    """Every kernel table among the lines of one segment, and what is missing from them.

    A table without a header is taken for a prefill profile in the benches' layout, for a
    speculative decode's in the demos' (below its column names only), with a finding. Blind spots of
    a coverage report have the same row shape and are left to `atlas.outputs.coverage`.
    """
    scan = _Scan()
    for line in lines:
        scan.feed(line)
    for table in scan.tables:
        scan.findings += _incomplete(table)
    return scan.tables, scan.findings


class _Scan:
    """Position in a segment: the open table, if any."""

    def __init__(self) -> None:
        self.tables: list[ProfileTable] = []
        self.findings: list[Finding] = []
        self._open: ProfileTable | None = None
        self._closed = False
        self._elsewhere = False

    def feed(self, line: Line) -> None:
        text = line.text
        if "===" in text or "SUMMARY" in text:
            header = _HEADER.match(text)
            self._open = self._start(header, line) if header else None
            self._closed = False
            self._elsewhere = "COVERAGE" in text
        elif self._elsewhere:
            return
        elif total := _TOTAL_LINE.match(text):
            if self._open:
                self._closed = True
                self._open.total_ms = read(total[1], "TOTAL", line.no, self.findings)
        elif wall := _WALL_LINE.match(text):
            self._wall(wall, line)
        elif _COLUMN_HEAD.match(text):
            if self._open is None:
                self._assume("decode_dflash", line)
        elif looks_like_row(text):
            self._row(line)
        elif _TAIL_NOTE.fullmatch(text):
            message = f"the table leaves out its small kernels: {text.strip()[:200]}"
            self.findings.append(Finding("profile_tail_omitted", message, f"line {line.no}"))

    def _start(self, header: re.Match[str], line: Line) -> ProfileTable:
        detail = header[2] or header[3] or ""

        def printed(pattern: re.Pattern[str], what: str) -> Number | None:
            match = pattern.search(detail)
            return read(match[1], what, line.no, self.findings) if match else None

        cycles = printed(_CYCLES, "cycles")
        phase: Phase = "prefill"
        if cycles is not None or "kernel calls" in detail:
            phase = "decode_dflash"
        elif header[1]:
            phase = "decode_ar"
        table = ProfileTable(phase, line.no, cycles=cycles)
        table.launches = printed(_CALLS, "launches")
        table.wall_ms = printed(_WALL, "wall")
        table.total_ms = printed(_KERNEL_TIME, "total kernel time")
        self.tables.append(table)
        return table

    def _row(self, line: Line) -> None:
        if is_column_row(line.text) and self._open is None:
            return  # bare numbers under unknown columns may be anything
        kernel = kernel_row(line, self.findings)
        if kernel is None:
            message = f"a kernel row could not be read: {line.text.strip()[:120]}"
            self.findings.append(Finding("profile_row_unreadable", message, f"line {line.no}"))
            return
        if self._open is None or self._closed:
            self._open = self._assume("prefill", line)
        self._open.kernels.append(kernel)

    def _assume(self, phase: Phase, line: Line) -> ProfileTable:
        """Open a table that has no header, its phase judged by its layout."""
        self._open, self._closed = ProfileTable(phase, line.no), False
        self.tables.append(self._open)
        message = f"a kernel table without a header is taken for a {phase} profile"
        self.findings.append(Finding("profile_phase_assumed", message, f"line {line.no}"))
        return self._open

    def _wall(self, wall: re.Match[str], line: Line) -> None:
        if self._open is None:
            return
        self._open.wall_ms = read(wall[1], "WALL", line.no, self.findings)
        if wall[2]:
            self._open.wall_tok_s = read(wall[2], "WALL tok/s", line.no, self.findings)


def _incomplete(table: ProfileTable) -> list[Finding]:
    """A finding when rows and totals don't fit, or the total was never printed."""
    where = f"line {table.line}"
    total = finite(table.total_ms)
    if total is None:
        return [Finding("profile_without_total", "the kernel table ends without a total", where)]
    listed = sum(finite(kernel.total_ms) or 0.0 for kernel in table.kernels)
    if listed < total * (1 - _UNLISTED):
        message = f"the {len(table.kernels)} rows sum to {listed:.1f} of {total:.1f} ms"
        return [Finding("profile_incomplete", message, where)]
    return []
