"""``atlas demo``: the day of a user on bundled data."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click


@click.command()
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the ledger and the data in this folder.",
)
def demo(keep: Path | None) -> None:
    """The day of a user on bundled data, in a ledger of its own.

    A stand-in bench prints a recorded output; nothing is measured.

    \b
    Example:
      atlas demo --keep /tmp/day && atlas --ledger /tmp/day/atlas.duckdb query rows
    """
    from atlas.demo.story import tell

    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        tell(keep.absolute(), click.echo)
        return
    with tempfile.TemporaryDirectory(prefix="atlas-demo-") as folder:
        tell(Path(folder), click.echo)
