"""``atlas export``: rows in the form they came in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from atlas.cli.state import State, pass_state
from ledger.outbox import write_durably
from ledger.place import unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.reader import Reader


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["v0-jsonl"]),
    default="v0-jsonl",
    show_default=True,
    help="Form of the export.",
)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="File; else stdout."
)
@pass_state
def export(state: State, form: str, output: Path | None) -> None:
    """Write the v0 rows back, each once, equal to what came in.

    \b
    Example:
      atlas export --format v0-jsonl --output rows.jsonl
    """
    del form
    with state.ledger().reader() as reader:
        if output is None:
            for line in _lines(state, reader):
                click.echo(line, nl=False)
            return
        try:
            write_durably(output.absolute(), _lines(state, reader))
        except OSError as error:
            raise unwritable(output, error) from error


def _lines(state: State, reader: Reader) -> Iterator[bytes]:
    query = state.catalog.find("views", "v0_rows")
    if query is None:
        raise LookupError("v0_rows")
    for _event, _ordinal, row in reader.stream(state.catalog.call(query)):
        yield row.encode() + b"\n"
