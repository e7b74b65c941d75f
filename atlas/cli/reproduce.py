"""``atlas reproduce``: what it takes to measure a row again."""

from __future__ import annotations

from dataclasses import asdict, astuple
from pathlib import Path

import click

from atlas.cli.output import emit_object, emit_rows, format_options
from atlas.cli.state import State, pass_state


@click.command()
@click.argument("row", default="latest")
@click.option("--script", "script_only", is_flag=True, help="Print the script and nothing else.")
@format_options
@pass_state
def reproduce(state: State, row: str, script_only: bool) -> int:
    """What it takes to measure ROW again, what of it is here, and the script that does it.

    ROW is an id prefix, `latest` (the default) or a selection such as arch=gfx1201. Exit code 1
    when something is not here, or is not what was recorded.

    \b
    Example:
      atlas reproduce latest --script > again.sh
    """
    from atlas.reproduce.needs import needs_of
    from atlas.reproduce.script import script_of
    from atlas.reproduce.source import measured_row

    with state.ledger().reader() as reader:
        measured = measured_row(reader, state.catalog, row, Path.cwd())
    needs = needs_of(measured)
    script = script_of(measured, needs)
    if script_only:
        click.echo(script, nl=False)
    elif state.format == "json":
        told = [asdict(need) for need in needs]
        emit_object({"row_id": measured.row_id, "needs": told, "script": script})
    else:
        emit_rows(state, ("what", "recorded", "here", "state"), [astuple(need) for need in needs])
        if state.format == "table":
            click.echo(f"\n{script}", nl=False)
    return 0 if all(need.state == "present" for need in needs) else 1
