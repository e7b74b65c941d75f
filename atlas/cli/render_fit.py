"""``atlas render-fit``: the ISA fit view of a row."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import click

from atlas.cli.output import emit_object
from atlas.cli.state import State, pass_state
from atlas.errors import BadUsage

_FORMS = ("ascii", "markdown", "json", "html")
_NARROW, _WIDE = 80, 120


def _remember(ctx: click.Context, _param: click.Parameter, value: str) -> str:
    """Errors are JSON when the view is."""
    ctx.ensure_object(State).format = "json" if value == "json" else "table"
    return value


@click.command()
@click.argument("row", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    default="ascii",
    is_eager=True,
    callback=_remember,
    show_default=True,
    help="How it is drawn, or the numbers behind it.",
)
@click.option("--width", type=click.IntRange(60, 400), help="Columns; 80, or 120 where they fit.")
@click.option("--row", "row_file", type=click.Path(path_type=Path), help="Read rows from a file.")
@click.option("--row-index", default=0, show_default=True, help="Which row of that file.")
@click.option("--isa", type=click.Path(path_type=Path), help="With --row: manifest or objects.")
@click.option("--dispatch", type=click.Path(path_type=Path), help="With --row: manifest.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it there.")
@pass_state
def render_fit(state: State, /, row: str | None, **given: Any) -> int:
    """Show how a row's kernels sit on its card, and what limits them.

    ROW is the beginning of an id, `latest` (the default), or a selection such as
    arch=gfx1201,phase=decode_ar. With --row nothing is read from or written to the ledger.

    \b
    Example:
      atlas render-fit latest --format html --output fit.html
    """
    document = _document(state, row, given)
    if given["form"] == "json" and given["output"] is None:
        emit_object(document)
        return 0
    text = _rendered(document, given["form"], given["width"] or _columns())
    if given["output"] is None:
        click.echo(text, nl=False)
    else:
        given["output"].write_text(text, encoding="utf-8")
    return 0


def _document(state: State, row: str | None, given: dict[str, Any]) -> dict[str, Any]:
    from atlas.fit.document import fit_document
    from atlas.fit.from_files import RowFiles, reading_files
    from atlas.select import LATEST, find_row

    if given["row_file"] is not None:
        if row is not None:
            raise BadUsage("a row of the ledger and --row FILE", hint="name one of them")
        files = RowFiles(given["row_file"], given["row_index"], given["isa"], given["dispatch"])
        with reading_files(state.catalog, files) as (reader, row_id):
            return fit_document(reader, state.catalog, row_id)
    if given["isa"] or given["dispatch"]:
        raise BadUsage(
            "--isa and --dispatch go with --row FILE",
            hint="in a ledger, `atlas isa` the folder the row ran with, or ingest its manifest",
        )
    with state.ledger().reader() as reader:
        found = find_row(reader, state.catalog, row or LATEST)
        return fit_document(reader, state.catalog, found["row_id"])


def _rendered(document: dict[str, Any], form: str, width: int) -> str:
    import json

    from atlas.fit.sections import sections
    from atlas.render.section_html import as_html
    from atlas.render.section_markdown import as_markdown
    from atlas.render.section_text import as_ascii

    if form == "json":
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    parts = sections(document)
    if form == "markdown":
        return as_markdown(parts)
    if form == "html":
        return as_html(parts, f"Fit of {document['row']['row_id']}")
    return as_ascii(parts, width)


def _columns() -> int:
    wide = sys.stdout.isatty() and shutil.get_terminal_size().columns >= _WIDE
    return _WIDE if wide else _NARROW
