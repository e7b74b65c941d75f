"""``atlas merge``: bring in the events of other ledgers."""

from __future__ import annotations

from pathlib import Path

import click

from atlas.cli.merged import show_merged
from atlas.cli.output import format_options
from atlas.cli.state import State, pass_state


@click.command()
@click.argument("others", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would be taken.")
@format_options
@pass_state
def merge(state: State, others: tuple[Path, ...], dry_run: bool) -> int:
    """Bring in the events of OTHERS: ledgers, exported segments, JSONL, or folders of them.

    They are only read. What is here already is known by its hash, so the same merge again adds
    nothing, and the order of merges makes no difference. Where two branches of an origin differ,
    both are kept and neither takes part in a verdict. A damaged source is refused whole; exit 2.

    \b
    Example:
      atlas merge /mnt/gpu-lab/atlas.duckdb --dry-run
    """
    ledger = state.ledger(make_folder=not dry_run)
    return show_merged(state, ledger, ledger.merge(others, dry_run=dry_run), dry_run=dry_run)
