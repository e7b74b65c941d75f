"""Sections as plain ASCII text of a given width."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from atlas.render.section import BAR_WIDTH, Bars, Lines, Part, Section, Table
from atlas.render.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atlas.render.section import Bar

_INDENT = 2
_GAP = "  "
_NUMERIC = frozenset("0123456789.-/")


def as_ascii(sections: Iterable[Section], width: int) -> str:
    """The report; no line is wider than ``width``, and nothing but ASCII stands in it."""
    blocks = ["\n".join(_section(section, width)) for section in sections]
    return "\n\n".join(blocks) + "\n"


def _section(section: Section, width: int) -> Iterator[str]:
    indent = _INDENT if section.title else 0
    if section.title:
        yield section.title
    for part in section.parts:
        for line in _part(part, width - indent):
            yield (" " * indent + line).rstrip()
    if not section.title:
        yield "=" * width


def _part(part: Part, width: int) -> Iterator[str]:
    if isinstance(part, Lines):
        for line in part.lines:
            yield from _wrapped(_safe(line), width)
    elif isinstance(part, Table):
        yield from _table(part, width)
    else:
        yield from _bars(part, width)


def _wrapped(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(line, width, subsequent_indent=indent + "  ") or [""]


def _table(table: Table, width: int) -> Iterator[str]:
    rows = [tuple(map(_safe, row)) for row in (table.columns, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [
        all(_NUMERIC.issuperset(row[place]) for row in rows[1:]) for place in range(len(widths))
    ]
    rest = sum(widths[1:]) + len(_GAP) * (len(widths) - 1)
    widths[0] = max(min(widths[0], width - rest), min(widths[0], 12))
    for row in rows:
        first = textwrap.wrap(row[0], widths[0]) or [""]
        cells = [
            cell.rjust(size) if on_right else cell.ljust(size)
            for cell, size, on_right in zip(row[1:], widths[1:], right[1:], strict=True)
        ]
        yield _GAP.join([first[0].ljust(widths[0]), *cells]).rstrip()
        yield from first[1:]


def _bars(bars: Bars, width: int) -> Iterator[str]:
    names = max((len(bar.name) for bar in bars.bars), default=0)
    kinds = max((len(bar.kind) for bar in bars.bars), default=0)
    values = max((len(bar.text) for bar in bars.bars), default=0)
    for bar in bars.bars:
        start = f"{_safe(bar.name):<{names}}  {bar.kind:<{kinds}}  {_bar(bar)}"
        yield f"{start}  {_safe(bar.text):>{values}}  {_safe(bar.note)}"[:width]


def _bar(bar: Bar) -> str:
    if bar.value is None:
        return "[" + "unknown".center(BAR_WIDTH) + "]"
    return "[" + "#" * bar.cells + "." * (BAR_WIDTH - bar.cells) + "]"


def _safe(text: str) -> str:
    return printable(text).encode("ascii", "backslashreplace").decode().replace("\n", " ")
