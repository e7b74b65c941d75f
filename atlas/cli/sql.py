"""``atlas sql``: one statement somebody typed."""

from __future__ import annotations

import click

from atlas.cli.output import emit, format_options
from atlas.cli.state import State, pass_state


@click.command()
@click.argument("statement")
@click.option("--timeout", default=60.0, show_default=True, help="Seconds it may take.")
@format_options
@pass_state
def sql(state: State, statement: str, timeout: float) -> None:
    """Ask one SQL statement, read-only, over facts and views.

    It can't write, read files or reach the network. `SHOW TABLES` and `DESCRIBE rows` tell what
    there is.

    \b
    Example:
      atlas sql "SELECT arch, count(*) FROM rows GROUP BY arch"
    """
    with state.ledger().reader() as reader:
        emit(state, reader.ask_freely(statement, seconds=timeout))
