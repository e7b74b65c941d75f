"""``atlas init``: make a ledger."""

from __future__ import annotations

from pathlib import Path

import click

from atlas.cli.state import State, pass_state


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path, dir_okay=False))
@pass_state
def init(state: State, path: Path | None) -> None:
    """Make a ledger, or bring an old one to this version.

    Without PATH it is made where every other command looks for it.

    \b
    Example:
      atlas init ~/evidence/atlas.duckdb
    """
    state.ledger_option = path or state.ledger_option
    ledger = state.ledger(make_folder=True)
    origin = ledger.create()
    click.echo(f"{ledger.place.file}  origin {origin}")
