"""``atlas sync``: exchange events with a shared folder or an object store."""

from __future__ import annotations

import click

from atlas.cli.merged import show_merged
from atlas.cli.output import format_options
from atlas.cli.state import State, pass_state


@click.command()
@click.argument("url")
@format_options
@pass_state
def sync(state: State, url: str) -> int:
    """Write to URL what it lacks of this ledger, then take what it has from other hosts.

    URL is a folder (a shared disk, something rsync carries) or a store that pyarrow reaches, such
    as s3://bucket/folder. Every host syncs with the same place; nothing there is ever changed.

    \b
    Example:
      atlas sync /mnt/fleet
    """
    from ledger.segment_offer import Segments
    from ledger.segments import export_segments
    from ledger.shelf import Shelf

    shelf = Shelf(url)
    ledger = state.ledger()
    with ledger.reader() as reader:
        exported = export_segments(reader, shelf, state.observer)
    code = show_merged(state, ledger, ledger.merge([Segments(shelf)]))
    if state.format == "table":
        click.echo(f"{exported.events} events and {exported.blobs} blobs written to {url}")
    return code
