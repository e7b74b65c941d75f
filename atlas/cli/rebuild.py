"""``atlas rebuild``: derive everything again."""

from __future__ import annotations

import click

from atlas.cli.state import State, pass_state


@click.command()
@pass_state
def rebuild(state: State) -> None:
    """Derive all facts and views again from the events.

    \b
    Example:
      atlas rebuild
    """
    ledger = state.ledger()
    ledger.rebuild()
    click.echo(f"{ledger.place.file}: facts and views derived again")
