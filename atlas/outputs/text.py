"""Bytes a program printed → lines of clean text.

Encodings: UTF-8 (with or without BOM), UTF-16 with a BOM, and UTF-16 without one when every other
byte of the beginning is zero. Bytes that fit no encoding become U+FFFD. Terminal escapes vanish;
whatever moves the cursor away (carriage return, backspace, cursor movement) ends a *piece*, and
each piece is a line of its own with the same number, so that a progress bar never hides or glues
numbers.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_LINE = 1 << 16
"""Longest line that is read, in characters; no format has lines near it."""

_CHUNK = 1 << 20

_MOVES = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ABDEFGHfd]|[\x08\x0b\x0c]")
_FORWARD = re.compile(r"(?:\x1b\[|\x9b)[0-?]*C")
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, erasing
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # OSC and other strings with their terminator
    r"|\x1b[ -/]*[0-~]"
)
_NUL_RUN = re.compile(r"\0{2,}")
_CONTROL = re.compile(r"[\x01-\x07\x0e-\x1f\x7f]")
_NEEDS_CLEANING = re.compile("[\0-\x08\x0b-\x0c\x0e-\x1f\x7f\x9b\ufeff]")


class LineReader:
    """Iterates over ``(number, text)`` of an output, in memory bounded by the longest line.

    Attributes:
        findings: what was replaced or skipped; complete once the iteration has ended.
        unterminated: number of the last line when it has no line end, else None.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._encoding, self._start, guessed = _encoding_of(data)
        self._long: list[tuple[int, int]] = []
        self._nuls = 0
        self._replaced = 0
        self._guessed = guessed
        self.unterminated: int | None = None

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Every piece of every line with its 1-based line number; empty pieces are left out."""
        number = 1
        for block in self._blocks():
            text = self._clean(block)
            for line in text.split("\n"):
                if "\r" in line:
                    for piece in line.split("\r"):
                        if piece and self._fits(number, piece):
                            yield number, piece
                elif line and self._fits(number, line):
                    yield number, line
                number += 1
            number -= 1

    @property
    def findings(self) -> list[Finding]:
        """One finding per kind of damage seen so far."""
        found = []
        if self._guessed:
            found.append(
                Finding("encoding_guessed", f"no byte order mark, read as {self._encoding}")
            )
        if self._replaced:
            message = f"{self._replaced} characters do not decode as {self._encoding}"
            found.append(Finding("encoding_replaced", message))
        if self._nuls:
            found.append(Finding("nul_bytes", f"{self._nuls} NUL characters were taken out"))
        if self._long:
            line, length = self._long[0]
            message = (
                f"{len(self._long)} line(s) longer than {LONGEST_LINE} characters were not read, "
                f"the first has at least {length}"
            )
            found.append(Finding("line_too_long", message, f"line {line}"))
        return found

    def _fits(self, number: int, piece: str) -> bool:
        if len(piece) <= LONGEST_LINE:
            return True
        self._long.append((number, len(piece)))
        return False

    def _blocks(self) -> Iterator[str]:
        """Blocks that end at a line end or carriage return; over-long lines are emptied."""
        decoder = codecs.getincrementaldecoder(self._encoding)(errors="replace")
        carry, skipped, newlines = "", 0, 0
        for offset in range(self._start, len(self._data), _CHUNK):
            final = offset + _CHUNK >= len(self._data)
            text = decoder.decode(self._data[offset : offset + _CHUNK], final)
            self._replaced += text.count("\ufffd")
            end = max(text.rfind("\n"), text.rfind("\r")) + 1
            if end:
                if skipped:
                    first = min(i for i in (text.find("\n"), text.find("\r")) if i >= 0)
                    self._long.append((newlines + 1, skipped + first))
                    text, end, skipped = text[first:], end - first, 0
                block = carry + text[:end]
                newlines += block.count("\n")
                yield block
                carry = text[end:]
            else:
                carry += text
            if skipped or len(carry) > LONGEST_LINE:
                skipped, carry = skipped + len(carry), ""
        if skipped:
            self._long.append((newlines + 1, skipped))
        if carry:
            self.unterminated = newlines + 1
            yield carry

    def _clean(self, block: str) -> str:
        if not _NEEDS_CLEANING.search(block):
            return block.replace("\r\n", "\n") if "\r" in block else block
        if "\0" in block:
            self._nuls += block.count("\0")
            # A hole in a file separates; single zero bytes are wide characters read as bytes.
            block = _NUL_RUN.sub(" ", block).replace("\0", "")
        block = _FORWARD.sub(" ", block)
        block = _ESCAPES.sub("", _MOVES.sub("\r", block))
        return _CONTROL.sub(" ", block).replace("\ufeff", "").replace("\r\n", "\n")


def decode(data: bytes) -> tuple[str, list[Finding]]:
    r"""The whole output as clean text with ``\n`` line ends, and what was replaced or skipped.

    Pieces that a carriage return separated become lines; empty lines are dropped. Never raises.
    """
    reader = LineReader(data)
    text = "\n".join(line for _, line in reader)
    return text, reader.findings


def _encoding_of(data: bytes) -> tuple[str, int, bool]:
    """Codec name, offset of the text behind its byte order mark, and whether it is a guess."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8", 3, False
    if data.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le", 2, False
    if data.startswith(codecs.BOM_UTF16_BE):
        return "utf-16-be", 2, False
    head = data[:4096]
    half = len(head) // 2
    if half >= 8:
        if head[1::2].count(0) > 0.9 * half and head[::2].count(0) < 0.1 * half:
            return "utf-16-le", 0, True
        if head[::2].count(0) > 0.9 * half and head[1::2].count(0) < 0.1 * half:
            return "utf-16-be", 0, True
    return "utf-8", 0, False
