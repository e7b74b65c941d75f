"""Sections as one self-contained HTML page: no script, nothing from elsewhere, bars as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from atlas.render.section import Lines, Part, Section, Table
from atlas.render.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atlas.render.section import Bar

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:64em;margin:2em auto;padding:0 1em}
h1{font-size:1.3em;border-bottom:2px solid}h2{font-size:1.05em;margin:1.4em 0 .3em}
table{border-collapse:collapse;margin:.3em 0}td,th{padding:.1em .8em .1em 0;text-align:left}
td{font-variant-numeric:tabular-nums}p{margin:.1em 0;white-space:pre-wrap}
svg{vertical-align:middle}.full{fill:#8884}.part{fill:#2a6fb0}
@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}.part{fill:#6ab0f3}}
"""
_BAR_PIXELS = 160


def as_html(sections: Iterable[Section], title: str) -> str:
    """The report."""
    body = "\n".join(line for section in sections for line in _section(section))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{_safe(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{body}\n</body>\n</html>\n"
    )


def _section(section: Section) -> Iterator[str]:
    if section.title:
        yield f"<h2>{_safe(section.title)}</h2>"
    for part in section.parts:
        yield from _part(part, "p" if section.title else "h1")


def _part(part: Part, tag: str) -> Iterator[str]:
    if isinstance(part, Lines):
        yield from (f"<{tag}>{_safe(line)}</{tag}>" for line in part.lines)
    elif isinstance(part, Table):
        head = "".join(f"<th>{_safe(column)}</th>" for column in part.columns)
        yield f"<table><tr>{head}</tr>"
        yield from (_row(map(_safe, row)) for row in part.rows)
        yield "</table>"
    else:
        yield "<table>"
        yield from (_row(_bar_cells(bar)) for bar in part.bars)
        yield "</table>"


def _row(cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _bar_cells(bar: Bar) -> Iterator[str]:
    yield _safe(bar.name)
    yield _safe(bar.kind)
    filled = round(bar.part * _BAR_PIXELS, 1)
    label = _safe(f"{bar.name} {bar.kind} {bar.text}".strip())
    yield (
        f'<svg width="{_BAR_PIXELS}" height="12" role="img" aria-label="{label}">'
        f'<rect class="full" width="{_BAR_PIXELS}" height="12"/>'
        f'<rect class="part" width="{filled}" height="12"/></svg>'
    )
    yield _safe(bar.text)
    yield _safe(bar.note)


def _safe(text: str) -> str:
    return escape(printable(text))
