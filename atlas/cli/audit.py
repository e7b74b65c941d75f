"""``atlas audit``: checks that return rows; none is clean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from atlas.cli.output import emit, format_options
from atlas.cli.prepared import prepared_command
from atlas.cli.state import State, pass_state

if TYPE_CHECKING:
    from ledger.reader import Result


class Audits(click.Group):
    """A group whose commands are written here, and every file in ``queries/audits``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names as one types them."""
        files = ctx.ensure_object(State).catalog.queries["audits"]
        return [*super().list_commands(ctx), *(name.replace("_", "-") for name in files)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command of this module, or the one of a query file."""
        own = super().get_command(ctx, cmd_name)
        query = ctx.ensure_object(State).catalog.find("audits", cmd_name)
        if own is not None or query is None:
            return own
        return prepared_command(
            cmd_name, query, lambda state, found: _report(state, cmd_name, found)
        )


@click.group(cls=Audits)
def audit() -> None:
    """Check the chain, the facts and what is claimed; exit 1 when a fault is found.

    \b
    Example:
      atlas audit chain
    """


@audit.command()
@click.option("--fast", is_flag=True, help="Envelopes and links only; payloads are not read.")
@format_options
@pass_state
def chain(state: State, fast: bool) -> int:
    """Recompute every digest and link of the hash chain.

    \b
    Example:
      atlas audit chain --json
    """
    from ledger.audit import LIMITS, audit_chain

    with state.ledger().reader() as reader:
        found = audit_chain(reader, payloads=not fast)
    code = _report(state, "chain", found)
    if state.format == "table":
        click.echo(LIMITS, err=True)
    return code


@audit.command()
@format_options
@pass_state
def facts(state: State) -> int:
    """Prove that the fact tables are what their definitions give for the events.

    \b
    Example:
      atlas audit facts
    """
    from ledger.audit import audit_facts

    with state.ledger().reader() as reader:
        found = audit_facts(reader, state.catalog)
    return _report(state, "facts", found)


def _report(state: State, what: str, found: Result) -> int:
    faults = sum(row[0] == "fault" for row in found.rows)
    if found.rows or state.format != "table":
        emit(state, found)
    if state.format == "table":
        notes = len(found.rows) - faults
        clean = "clean" if not faults else f"{faults} fault{'' if faults == 1 else 's'}"
        click.echo(f"{what}: {clean}" + (f", {notes} note(s)" if notes else ""))
    return 1 if faults else 0
