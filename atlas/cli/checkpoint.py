"""``atlas checkpoint``: a few lines that prove later what the ledger holds now."""

from __future__ import annotations

from pathlib import Path

import click

from atlas.cli.state import State, pass_state


@click.command()
@click.option("--sign", "key", type=click.Path(path_type=Path), help="Sign it with this SSH key.")
@pass_state
def checkpoint(state: State, key: Path | None) -> None:
    """Print origin, number of events and head hash of each chain; keep it away from this host.

    `atlas audit chain --against FILE` proves later that what was there is still there. Printing a
    checkpoint appends nothing.

    \b
    Example:
      atlas checkpoint > /mnt/elsewhere/atlas.checkpoint
    """
    from ledger.checkpoint import checkpoint as heads
    from ledger.signing import sign

    with state.ledger().reader() as reader:
        text = heads(reader)
    click.echo(text + (sign(text, key) if key else ""), nl=False)
