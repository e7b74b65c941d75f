"""Scores the lines of a file as references to a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from atlas.dispatch.env_controls import controls_in_text
from atlas.dispatch.names import KernelName, Match, Text
from atlas.dispatch.paths import KERNEL_FOLDER, TreePath
from atlas.dispatch.score import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMENT_STARTS = (b"//", b"/*", b"*")
CALL_WORDS = (b"launch", b"dispatch", b"kernel", b"call", b"gpu.")
SHOWN_CHARACTERS = 240

_CODE = Reason("code", 1000)
_COMMENT = Reason("comment", 100)
_MATCH_POINTS = {
    Match.NAME: Reason("line has the name", 220),
    Match.VARIANT: Reason("line has a variant", 160),
    Match.SUBSTRING: Reason("line has a variant within a word", 5),
}


@dataclass(frozen=True)
class Line:
    """A line of a file.

    Attributes:
        number: from 1, counted by line feeds.
        text: its bytes without the line feed, and the words in them.
        kind: ``code`` or ``comment``; a comment starts with ``//``, ``/*`` or ``*``.
        reasons: what speaks for it whichever kernel is asked for.
    """

    number: int
    text: Text
    kind: str
    reasons: tuple[Reason, ...]

    @cached_property
    def shown(self) -> str:
        """The line without surrounding blanks, at most 240 characters."""
        return self.text.data.decode("utf-8", "replace").strip()[:SHOWN_CHARACTERS]

    @cached_property
    def controls(self) -> tuple[str, ...]:
        """The ``HIPFIRE_…`` variables the line names."""
        return controls_in_text(self.text.data)


class ReferenceFile:
    """A file whose lines are looked at for several kernels; each line is judged once."""

    def __init__(self, path: TreePath, data: bytes) -> None:
        self.path = path
        self._data = data
        self._lines: dict[int, Line] = {}

    def lines_with(self, kernel: KernelName) -> Iterator[Line]:
        """The lines that contain a variant of the kernel, in order."""
        data, root = self._data, kernel.root
        if b"\n" in root:
            return
        number, counted, at = 1, 0, data.find(root)
        while at >= 0:
            number += data.count(b"\n", counted, at)
            start = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            yield self._line(number, start, len(data) if end < 0 else end)
            if end < 0:
                return
            counted, at = end, data.find(root, end)

    def _line(self, number: int, start: int, end: int) -> Line:
        line = self._lines.get(number)
        if line is None:
            raw = self._data[start:end]
            kind = _COMMENT if raw.lstrip().startswith(COMMENT_STARTS) else _CODE
            reasons = (kind, *_form(raw), *self._place)
            line = self._lines[number] = Line(number, Text(raw), kind.what, reasons)
        return line

    @cached_property
    def _place(self) -> tuple[Reason, ...]:
        return tuple(_place(self.path))


def score_line(kernel: KernelName, line: Line) -> tuple[Reason, ...]:
    """The reasons for a line that contains a variant of the kernel."""
    kind, *others = line.reasons
    return (kind, _MATCH_POINTS[kernel.match(line.text)], *others)


def _form(raw: bytes) -> Iterator[Reason]:
    lowered = raw.lower()
    if any(word in lowered for word in CALL_WORDS):
        yield Reason("call-like word", 60)
    if b"(" in raw:
        yield Reason("parentheses", 25)


def _place(path: TreePath) -> Iterator[Reason]:
    if folder := _folder(path):
        yield folder
    if b"/src/" in path.raw:
        yield Reason("under /src/", 45)
    if b"/examples/" in path.raw:
        yield Reason("under /examples/", -150)
    if path.is_test_or_benchmark:
        yield Reason("test or benchmark", -200)


def _folder(path: TreePath) -> Reason | None:
    """The one folder or file that counts; dispatch code before the runtime before other crates."""
    if path.file_name == b"dispatch.rs":
        return Reason("file is dispatch.rs", 40)
    if path.raw.startswith(b"crates/hipfire-runtime/"):
        return Reason("under crates/hipfire-runtime/", 30)
    if path.raw.startswith(b"crates/"):
        return Reason("under crates/", 20)
    if path.raw.startswith(KERNEL_FOLDER):
        return Reason("under kernels/src/", 10)
    return None
