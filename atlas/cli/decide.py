"""``atlas annotate`` and ``atlas retract``: later facts about earlier ones."""

from __future__ import annotations

import click

from atlas.cli.output import emit_object, emit_rows, format_options
from atlas.cli.state import State, pass_state

_DISPOSITIONS = ("exploratory", "measured", "historical", "rejected", "promotion_candidate")


@click.command()
@click.argument("row", default="latest")
@click.option("--disposition", type=click.Choice(_DISPOSITIONS), required=True)
@click.option("--why", required=True, help="The reason, for whoever reads it later.")
@format_options
@pass_state
def annotate(state: State, row: str, disposition: str, why: str) -> None:
    """Say what you decided about a row or an event.

    A row that is not of a clean worktree never becomes a promotion_candidate.

    \b
    Example:
      atlas annotate 3f2a --disposition rejected --why "the card was throttling"
    """
    from atlas.decide import annotation

    ledger = state.ledger()
    with ledger.reader() as reader:
        draft = annotation(reader, state.catalog, row, disposition, why)
    (event_id,) = ledger.record([draft]).event_ids
    ledger.drain()
    _tell(state, {"event_id": event_id, **draft.payload})


@click.command()
@click.argument("event")
@click.option("--why", required=True, help="The reason, for whoever reads it later.")
@format_options
@pass_state
def retract(state: State, event: str, why: str) -> None:
    """Take an event back: it counts no more, and what rests on it is marked.

    Nothing is deleted; retracting the retraction brings the event back.

    \b
    Example:
      atlas retract 9b41 --why "measured with the wrong model"
    """
    from atlas.decide import retraction

    ledger = state.ledger()
    with ledger.reader() as reader:
        draft, shaken = retraction(reader, state.catalog, event, why)
    (event_id,) = ledger.record([draft]).event_ids
    ledger.drain()
    _tell(state, {"event_id": event_id, **draft.payload, "shaken": shaken})


def _tell(state: State, said: dict[str, object]) -> None:
    if state.format == "table":
        emit_rows(state, ("field", "value"), said.items())
    else:
        emit_object(said)
