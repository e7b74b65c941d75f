"""``atlas show``: one event or row with everything that is known about it."""

from __future__ import annotations

import json
from typing import Any

import click

from atlas.ask import ask, find_one
from atlas.cli.output import emit_object, emit_rows, format_options
from atlas.cli.state import State, pass_state
from atlas.render.text import printable


@click.command()
@click.argument("id_prefix", metavar="ID")
@click.option("--raw", is_flag=True, help="Print the raw output that was kept, nothing else.")
@format_options
@pass_state
def show(state: State, id_prefix: str, raw: bool) -> None:
    """One event or row: provenance, hashes, payload, raw output.

    ID is the beginning of an event id or a row id.

    \b
    Example:
      atlas show 3f2a --json
    """
    with state.ledger().reader() as reader:
        found = find_one(reader, state.catalog, id_prefix)
        event = ask(reader, state.catalog, "whole_event", id=found["event_id"]).dicts()[0]
        outputs = ask(reader, state.catalog, "output_of", id=found["event_id"]).dicts()
    event["payload"] = json.loads(event["payload"])
    if raw:
        _print_raw(outputs)
    elif state.format == "table":
        _print_event(state, event, outputs, found["ordinal"])
    else:
        event["output"] = [{k: v for k, v in one.items() if k != "body"} for one in outputs]
        emit_object(event | {"ordinal": found["ordinal"]})


def _print_raw(outputs: list[dict[str, Any]]) -> None:
    for one in outputs:
        if one["body"] is None:
            click.echo(f"atlas: blob {one['sha256']} is missing", err=True)
        else:
            text = one["body"].decode("utf-8", "replace")
            click.echo("\n".join(printable(line) for line in text.split("\n")), nl=False)


def _print_event(
    state: State, event: dict[str, Any], outputs: list[dict[str, Any]], ordinal: int | None
) -> None:
    payload = event.pop("payload")
    emit_rows(state, ("field", "value"), event.items())
    if ordinal is not None:
        payload = payload["rows"][ordinal]
    text = json.dumps(payload, indent=1, ensure_ascii=False)
    click.echo("\n".join(printable(line) for line in text.split("\n")))
    for one in outputs:
        kept = "kept" if one["body"] is not None else "missing"
        click.echo(f"{one['stream']}: {one['n_bytes']} bytes, sha256 {one['sha256']}, {kept}")
