"""How a merge is shown: what each source held of each origin, and what that means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from atlas.cli.output import emit_rows
from atlas.render.text import printable
from ledger.outbox import known_origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atlas.cli.state import State
    from ledger.merge import Merged
    from ledger.store import Ledger

_COLUMNS = ("source", "origin", "new", "known", "contested", "forked_at")


def show_merged(
    state: State, ledger: Ledger, merged: Sequence[Merged], *, dry_run: bool = False
) -> int:
    """Print a merge.

    Returns:
        Exit code: 2 when a source was refused.
    """
    emit_rows(
        state,
        _COLUMNS,
        (
            (one.source, had.origin, had.new, had.known, had.contested, had.forked_at)
            for one in merged
            for had in one.origins
        ),
    )
    for one in merged:
        if one.refused:
            click.echo(f"atlas: refused: {printable(one.refused)}", err=True)
    _tell_forks(ledger, merged)
    if state.format == "table":
        click.echo(_summary(merged, dry_run=dry_run))
    return 2 if any(one.refused for one in merged) else 0


def _tell_forks(ledger: Ledger, merged: Sequence[Merged]) -> None:
    forks = {had.origin: had for one in merged for had in one.origins if had.forked_at is not None}
    own = known_origin(ledger.place)
    for origin, had in sorted(forks.items()):
        whose = "this ledger's own origin" if origin == own else "origin"
        where = "here or there" if origin == own else "on one of the hosts that write it"
        click.echo(
            f"atlas: {whose} {origin} is forked from seq {had.forked_at}: two copies of one ledger "
            f"were written; {had.contested} events take part in no verdict "
            f"(run `atlas init --new-origin` {where})",
            err=True,
        )


def _summary(merged: Sequence[Merged], *, dry_run: bool) -> str:
    taken = [one for one in merged if not one.refused]
    new = sum(one.new for one in taken)
    known = sum(had.known for one in taken for had in one.origins)
    blobs = sum(one.blobs for one in taken)
    would = "would be " if dry_run else ""
    if not new and not blobs:
        return f"nothing new: all {known} events are here already" if taken else "nothing merged"
    return f"{new} events and {blobs} blobs {would}new, {known} events known already"
