"""``atlas import``: take what another host exported."""

from __future__ import annotations

from pathlib import Path

import click

from atlas.cli.merged import show_merged
from atlas.cli.output import format_options
from atlas.cli.state import State, pass_state


@click.command("import")
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@format_options
@pass_state
def import_(state: State, sources: tuple[Path, ...]) -> int:
    """Take the events that `atlas export` wrote, as segments or JSONL, on any host.

    The same as `atlas merge`: what is here already is not added again.

    \b
    Example:
      atlas import /mnt/fleet
    """
    ledger = state.ledger(make_folder=True)
    return show_merged(state, ledger, ledger.merge(sources))
