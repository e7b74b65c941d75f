"""Sections as Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atlas.render.section import BAR_WIDTH, Lines, Part, Section, Table
from atlas.render.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#])")


def as_markdown(sections: Iterable[Section]) -> str:
    """The report."""
    return "\n\n".join(block for section in sections for block in _section(section)) + "\n"


def _section(section: Section) -> Iterator[str]:
    if section.title:
        yield f"## {_safe(section.title)}"
    for part in section.parts:
        yield _part(part) if section.title else f"# {_safe(_only_line(part))}"


def _only_line(part: Part) -> str:
    return " ".join(part.lines) if isinstance(part, Lines) else ""


def _part(part: Part) -> str:
    if isinstance(part, Lines):
        return "\n".join(_item(line) for line in part.lines)
    if isinstance(part, Table):
        return _table(part.columns, part.rows)
    rows = [(bar.name, bar.kind, _bar(bar.cells), bar.text, bar.note) for bar in part.bars]
    return _table(("", "", "", "", ""), rows)


def _item(line: str) -> str:
    text = line.lstrip()
    return " " * (len(line) - len(text)) + f"- {_safe(text)}"


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = [_safe(column) for column in columns]
    lines = [_pipes(heads), _pipes(["---"] * len(heads))]
    return "\n".join([*lines, *(_pipes(map(_safe, row)) for row in rows)])


def _pipes(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _bar(cells: int) -> str:
    return "=" * cells + "." * (BAR_WIDTH - cells)


def _safe(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text).replace("\n", " "))
