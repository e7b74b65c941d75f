"""``atlas reparse``: read kept raw output again."""

from __future__ import annotations

import click

from atlas.cli.output import emit_rows, format_options
from atlas.cli.state import State, pass_state


@click.command()
@click.option("--all", "everything", is_flag=True, help="Even what this version has read already.")
@format_options
@pass_state
def reparse(state: State, everything: bool) -> None:
    """Read kept raw output again with this version's parser.

    The rows it gives are appended and supersede the older ones; nothing is changed.

    \b
    Example:
      atlas reparse
    """
    from atlas.reparse import reparse as read_again

    done = read_again(state.ledger(), state.catalog, state.observer, everything=everything)
    columns = ("read again", "rows", "new", "not understood yet", "output missing")
    counts = (done.read, done.rows, done.new, done.not_understood, done.missing)
    emit_rows(state, columns, [counts])
