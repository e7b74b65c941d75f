"""Options of commands that start from a row: of the ledger, or of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from atlas.errors import BadUsage

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from atlas.cli.state import State
    from atlas.task.row_source import SourceRow

_FILE = click.Path(path_type=Path)
_OPTIONS = (
    click.argument("row_name", metavar="[ROW]", required=False),
    click.option("--row", "row_file", type=_FILE, help="Read the row from this file instead."),
    click.option("--row-index", default=-1, show_default=True, help="Which row of that file."),
    click.option("--isa", type=_FILE, help="ISA manifest to read beside it."),
    click.option("--dispatch", type=_FILE, help="Dispatch manifest to read beside it."),
)


def row_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ROW and the file form; the values are taken by `open_row`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def open_row(state: State, given: dict[str, Any]) -> AbstractContextManager[SourceRow]:
    """The row that was named; `latest` when none was.

    Raises:
        BadUsage: both forms were used.
    """
    from atlas.evals.tools import Tools
    from atlas.task.row_source import RowFiles, row_of_file, row_of_ledger

    name, file = given["row_name"], given["row_file"]
    if file is not None:
        if name is not None:
            raise BadUsage("ROW and --row: one of them")
        files = RowFiles(file, given["row_index"], given["isa"], given["dispatch"])
        return row_of_file(state.catalog, files)
    if given["isa"] or given["dispatch"]:
        raise BadUsage(
            "--isa and --dispatch go with --row", hint="a row of the ledger knows its own"
        )
    tools = Tools(state.ledger(make_folder=True), state.catalog, state.observer)
    return row_of_ledger(tools, name or "latest")
