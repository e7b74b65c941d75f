"""Options and calls by which every command shows what it found."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from atlas.cli.state import FORMATS, State
from atlas.errors import BadUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ledger.reader import Result


def _remember(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(State).format = value


def _remember_json(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(State).format = "json"


def format_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--format`` and ``--json``; the choice lands in the state, for errors too."""
    command = click.option(
        "--json",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_remember_json,
        help="Short for --format json.",
    )(command)
    formatted: Callable[..., Any] = click.option(
        "--format",
        type=click.Choice(FORMATS),
        is_eager=True,
        expose_value=False,
        callback=_remember,
        help="How the result looks.  [default: table]",
    )(command)
    return formatted


def emit(state: State, result: Result) -> None:
    """Print a result on stdout in the chosen format."""
    from atlas.render.tabular import as_parquet, as_text

    if state.format == "parquet":
        if sys.stdout.isatty():
            raise BadUsage("parquet is no text", hint="redirect it: … --format parquet > FILE")
        sys.stdout.buffer.write(as_parquet(result))
        return
    click.echo(as_text(result, state.format), nl=False)


def emit_rows(state: State, columns: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> None:
    """Print rows that a command made itself."""
    from ledger.reader import Result

    found = list(rows)
    types = tuple(_kind([row[place] for row in found]) for place in range(len(columns)))
    emit(state, Result(columns, types, found))


def _kind(values: list[Any]) -> str:
    known = [value for value in values if value is not None]
    numeric = known and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in known
    )
    return "DOUBLE" if numeric else "VARCHAR"


def emit_object(value: Any) -> None:
    """Print one JSON document."""
    from atlas.render.values import plain

    click.echo(json.dumps(plain(value), ensure_ascii=False, indent=1))
