"""A program's output → segments of the lines that can mean something.

A segment starts at a program header (``=== bench_… ===``, ``=== …_demo ===``, ``hipfire bench`` or
the command line that starts it). Text without headers is one segment, except that a heading between
two kernel tables of a report starts a new one. Loading lines that stand between a measurement and
the next header belong to the program that starts there. Lines inside a demo's generated text are
left out: a model may write anything.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from atlas.outputs.relevance import Relevance, is_identity, is_measurement, relevance
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HIPFIRE_BENCH = "hipfire bench"

_BANNER = re.compile(r"===\s*(bench_\w+|\w+_demo)\b[^=]*===")
_COMMAND = re.compile(r"(?:\S{0,200}[$#] +)?(?:\w+=\S+ +)*(?:\S*/)?hipfire +bench(?: +\S.*)?")
_OUTPUT_STARTS = re.compile(r"(?:--- OUTPUT ---|=== output ===)\s*")
# The closing line may be late or missing: text and metrics come from different streams.
_METRICS_BEGIN = r".*=== BENCH METRICS ===|\s*emitted: +\d+ tokens in |\s*prompt_md5: +[0-9a-f]{32}"
_OUTPUT_ENDS = {
    "-": re.compile(rf"-{{8,}}\s*$|{_METRICS_BEGIN}"),
    "=": re.compile(rf"=== end ===|{_METRICS_BEGIN}"),
}
_LINE_OVERHEAD = 200  # what a kept line costs beside its characters, roughly, in bytes
_KNOWN_BUDGET = 24 << 20
_CONTEXT_BUDGET = 4 << 20
_AFTER_SUMMARY = 3  # a pasted SUMMARY wraps over a few lines at most


class Line(NamedTuple):
    """A line that may mean something: 1-based number and cleaned text."""

    no: int
    text: str


@dataclass(slots=True)
class RawSegment:
    """The meaningful lines of one program's run, before any format reads them."""

    first_line: int
    program: str | None
    lines: tuple[Line, ...]
    findings: list[Finding] = field(default_factory=list)


class _Kept:
    """The first and the last lines added, within a budget each; the middle is only counted."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._head: list[Line] = []
        self._head_size = 0
        self._tail: deque[Line] = deque()
        self._tail_size = 0
        self.dropped = 0

    def add(self, line: Line) -> None:
        size = len(line.text) + _LINE_OVERHEAD
        if self._head_size < self._budget:
            self._head.append(line)
            self._head_size += size
            return
        self._tail.append(line)
        self._tail_size += size
        while self._tail_size > self._budget:
            self._tail_size -= len(self._tail.popleft().text) + _LINE_OVERHEAD
            self.dropped += 1

    def __iter__(self) -> Iterator[Line]:
        return chain(self._head, self._tail)


class _Open:
    """A segment that still receives lines."""

    def __init__(self, first_line: int, program: str | None, *, by_command: bool = False) -> None:
        self.first_line = first_line
        self.program = program
        self.by_command = by_command
        self.measured = False
        self.has_table = False
        self.in_output = ""
        self._known = _Kept(_KNOWN_BUDGET)
        self._context = _Kept(_CONTEXT_BUDGET)
        self._follow = 0

    def feed(self, line: Line) -> None:
        if self.in_output:
            if not _OUTPUT_ENDS[self.in_output].match(line.text):
                return
            self.in_output = ""
        kind = relevance(line.text)
        if line.text[0] in "-=" and _OUTPUT_STARTS.fullmatch(line.text):
            self.in_output = line.text[0]
        elif kind is Relevance.NONE and self._follow:
            self._follow -= 1
            self._context.add(line)
        elif kind is Relevance.CONTEXT:
            self._context.add(line)
        elif kind is not Relevance.NONE:
            self._known.add(line)
            self.measured = self.measured or is_measurement(line.text)
            self.has_table = self.has_table or kind is Relevance.TABLE_ROW
            self.measured = self.measured or self.has_table
        if kind is Relevance.KNOWN and "SUMMARY" in line.text:
            self._follow = _AFTER_SUMMARY

    def close(self, *, give_back: bool) -> tuple[RawSegment, list[Line]]:
        """The finished segment, and the trailing identity lines when they are to be given back."""
        lines = sorted(chain(self._known, self._context), key=attrgetter("no"))
        trailing: list[Line] = []
        if give_back and (self.measured or self.program is None):
            cut = len(lines)
            while cut and is_identity(lines[cut - 1].text):
                cut -= 1
            lines, trailing = lines[:cut], lines[cut:]
        findings = []
        if dropped := self._known.dropped + self._context.dropped:
            message = f"{dropped} lines in the middle of a very long segment were not looked at"
            findings.append(Finding("lines_not_read", message, f"line {self.first_line}"))
        return RawSegment(self.first_line, self.program, tuple(lines), findings), trailing


def header_of(text: str) -> str | None:
    """The program a header line names, or None for any other line."""
    if text.count("===") > 1 and (banner := _BANNER.search(text)):
        return banner[1]
    if "hipfire" in text and len(text) < 4000 and _COMMAND.fullmatch(text.strip()):
        return HIPFIRE_BENCH
    return None


def segments(lines: Iterable[tuple[int, str]]) -> Iterator[RawSegment]:
    """Cut numbered lines into segments, in order; lines that can't mean anything are left out.

    A segment without a header is yielded only when it has meaningful lines.
    """
    current = _Open(1, None)
    for number, text in lines:
        program = header_of(text)
        bare = program == HIPFIRE_BENCH == text.strip()
        announced = bare and current.by_command and not current.measured
        if program and not announced:
            raw, moved = current.close(give_back=True)
            if raw.program or raw.lines:
                yield raw
            current = _Open(number, program, by_command=program == HIPFIRE_BENCH and not bare)
            for moved_line in moved:
                current.feed(moved_line)
        elif current.has_table and current.program is None and text[0] == "#":
            yield current.close(give_back=False)[0]
            current = _Open(number, None)
        current.feed(Line(number, text))
    raw, _ = current.close(give_back=False)
    if raw.program or raw.lines:
        yield raw
