"""``atlas init``: make a ledger, or continue a copied one under a new origin."""

from __future__ import annotations

from pathlib import Path

import click

from atlas.cli.state import State, pass_state


@click.command()
@click.argument("path", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--new-origin",
    is_flag=True,
    help="This file is a copy: record from now on under an origin of its own.",
)
@pass_state
def init(state: State, path: Path | None, new_origin: bool) -> None:
    """Make a ledger, or bring an old one to this version.

    Without PATH it is made where every other command looks for it.

    \b
    Example:
      atlas init ~/evidence/atlas.duckdb
    """
    state.ledger_option = path or state.ledger_option
    ledger = state.ledger(make_folder=not new_origin)
    if new_origin:
        old, new = ledger.new_origin()
        click.echo(f"{ledger.place.file}  origin {new} (until now {old})")
        return
    origin = ledger.create()
    click.echo(f"{ledger.place.file}  origin {origin}")
