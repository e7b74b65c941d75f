"""``atlas audit``: checks that return rows; none is clean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from atlas.cli.output import emit, format_options
from atlas.cli.prepared import prepared_command
from atlas.cli.state import State, pass_state
from atlas.errors import BadUsage

if TYPE_CHECKING:
    from ledger.reader import Reader, Result


class Audits(click.Group):
    """A group whose commands are written here, and every file in ``queries/audits``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names as one types them."""
        files = ctx.ensure_object(State).catalog.queries["audits"]
        own = super().list_commands(ctx)
        names = (name.replace("_", "-") for name in files)
        return [*own, *(name for name in names if name not in own)]

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
@click.option(
    "--against",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A checkpoint kept elsewhere: finds what the chain alone can't show.",
)
@click.option(
    "--signers",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="SSH allowed signers; the checkpoint must be signed by one of them.",
)
@format_options
@pass_state
def chain(state: State, fast: bool, against: Path | None, signers: Path | None) -> int:
    """Recompute every digest and link of the hash chain.

    \b
    Example:
      atlas audit chain --against /mnt/elsewhere/atlas.checkpoint
    """
    from ledger.audit import LIMITS, audit_chain

    if signers and not against:
        raise BadUsage("--signers wants --against FILE")
    with state.ledger().reader() as reader:
        found = audit_chain(reader, payloads=not fast)
        if against:
            found.rows.extend(_against(reader, against, signers))
    code = _report(state, "chain", found)
    if state.format == "table" and not against:
        click.echo(LIMITS, err=True)
    return code


def _against(reader: Reader, file: Path, signers: Path | None) -> list[tuple[Any, ...]]:
    """Faults that a checkpoint shows, and those of its signature."""
    from ledger.checkpoint import compare, read_checkpoint, signature_faults

    old = read_checkpoint(file.read_text(errors="replace"))
    return [*signature_faults(old, signers), *compare(reader, old).rows]


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


@audit.command()
@click.option("--host", help="Rows of the host with this name.  [default: this host]")
@format_options
@pass_state
def files(state: State, host: str | None) -> int:
    """What this host's rows were measured with: programs, models, prompts, objects, commits.

    \b
    Example:
      atlas audit files
    """
    from atlas.ask import ask
    from atlas.identity.host import observe_host
    from atlas.reproduce.places import look

    name = host or observe_host().hostname
    with state.ledger().reader() as reader:
        places = ask(reader, state.catalog, "files_of_host", host=name).dicts()
        reader.show_files(look(places))
        found = ask(reader, state.catalog, "files", host=name)
    return _report(state, "files", found)


def _report(state: State, what: str, found: Result) -> int:
    faults = sum(row[0] == "fault" for row in found.rows)
    if found.rows or state.format != "table":
        emit(state, found)
    if state.format == "table":
        notes = len(found.rows) - faults
        clean = "clean" if not faults else f"{faults} fault{'' if faults == 1 else 's'}"
        click.echo(f"{what}: {clean}" + (f", {notes} note(s)" if notes else ""))
    return 1 if faults else 0
