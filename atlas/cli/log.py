"""``atlas log``: the event stream."""

from __future__ import annotations

import click

from atlas.ask import ask
from atlas.cli.output import emit, format_options
from atlas.cli.state import State, pass_state


@click.command()
@click.option("--kind", help="Only events of this kind.")
@click.option("--limit", default=20, show_default=True, help="At most so many.")
@format_options
@pass_state
def log(state: State, kind: str | None, limit: int) -> None:
    """The event stream, newest first.

    \b
    Example:
      atlas log --kind collection --limit 5
    """
    with state.ledger().reader() as reader:
        emit(state, ask(reader, state.catalog, "newest_events", kind=kind, limit=limit))
