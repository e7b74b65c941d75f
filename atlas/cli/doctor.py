"""``atlas doctor``: what is found on this host."""

from __future__ import annotations

import click

from atlas.cli.output import emit_rows, format_options
from atlas.cli.state import State, pass_state


@click.command()
@format_options
@pass_state
def doctor(state: State) -> int:
    """What is found on this host, and what to do about each gap.

    Exit code 1 when the ledger has a problem; a missing tool is no problem.

    \b
    Example:
      atlas doctor
    """
    from atlas.doctor import examine

    checks = examine(state.ledger(), state.catalog)
    columns = ("check", "state", "found", "advice")
    emit_rows(state, columns, ((one.what, one.state, one.found, one.advice) for one in checks))
    return 1 if any(one.state == "problem" for one in checks) else 0
