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
_NARROWEST = 12
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
    widest = widths.index(max(widths))
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    widths[widest] -= max(0, min(over, widths[widest] - _NARROWEST))
    for row in rows:
        folded = textwrap.wrap(row[widest], widths[widest]) or [""]
        cells = [*row[:widest], folded[0], *row[widest + 1 :]]
        yield _GAP.join(
            cell.rjust(size) if on_right else cell.ljust(size)
            for cell, size, on_right in zip(cells, widths, right, strict=True)
        ).rstrip()
        before = sum(widths[:widest]) + len(_GAP) * widest
        yield from (" " * before + more for more in folded[1:])


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
