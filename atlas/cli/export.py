"""``atlas export``: rows in the form they came in, or the events themselves for other hosts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from atlas.cli.state import State, pass_state
from atlas.errors import BadUsage
from ledger.outbox import write_durably
from ledger.place import unwritable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.reader import Reader


@click.command()
@click.argument("folder", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(["v0-jsonl", "jsonl", "segments"]),
    default="v0-jsonl",
    show_default=True,
    help="v0 rows; or all events and blobs, as canonical JSONL or as Parquet segments.",
)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="File; else stdout."
)
@pass_state
def export(state: State, folder: str | None, form: str, output: Path | None) -> None:
    """Write v0 rows, each once, equal to what came in; or events, which `atlas import` takes.

    Segments go to FOLDER (or a URL that pyarrow reaches); what is there already is not written
    again.

    \b
    Example:
      atlas export --format segments /mnt/fleet
    """
    if (form == "segments") != (folder is not None) or (folder and output):
        raise BadUsage("segments want a FOLDER, the other forms --output or stdout")
    with state.ledger().reader() as reader:
        if folder is not None:
            _segments(state, reader, folder)
            return
        _write(_v0_lines(state, reader) if form == "v0-jsonl" else _event_lines(reader), output)


def _segments(state: State, reader: Reader, folder: str) -> None:
    from ledger.segments import export_segments
    from ledger.shelf import Shelf

    done = export_segments(reader, Shelf(folder), state.observer)
    click.echo(f"{folder}: {done.events} events in {done.segments} segments, {done.blobs} blobs")


def _write(lines: Iterator[bytes], output: Path | None) -> None:
    if output is None:
        for line in lines:
            click.echo(line, nl=False)
        return
    try:
        write_durably(output.absolute(), lines)
    except OSError as error:
        raise unwritable(output, error) from error


def _event_lines(reader: Reader) -> Iterator[bytes]:
    from ledger.portable import lines

    return lines(reader)


def _v0_lines(state: State, reader: Reader) -> Iterator[bytes]:
    query = state.catalog.find("views", "v0_rows")
    if query is None:
        raise LookupError("v0_rows")
    for _event, _ordinal, row in reader.stream(state.catalog.call(query)):
        yield row.encode() + b"\n"
