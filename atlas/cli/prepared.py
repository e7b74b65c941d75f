"""Commands that are query files: the header gives help and options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from atlas.cli.output import format_options
from atlas.cli.state import State, pass_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.reader import Result
    from queries.definition import Query
    from queries.header import Param

_TYPES: dict[str, click.ParamType[Any]] = {
    "VARCHAR": click.STRING,
    "INTEGER": click.INT,
    "BIGINT": click.INT,
    "DOUBLE": click.FLOAT,
    "BOOLEAN": click.BOOL,
}


def prepared_command(
    name: str, query: Query, show: Callable[[State, Result], int | None]
) -> click.Command:
    """The command of one query file.

    Args:
        name: as one types it.
        query: the file.
        show: prints the result; gives the exit code.
    """
    header = query.header
    command: Callable[..., int | None] = _asking(query, show)
    for param in reversed(header.params):
        command = _option(param)(command)
    command = click.option("--show-sql", is_flag=True, help="Print the statement, don't run it.")(
        format_options(command)
    )
    examples = "\n".join(f"  {example}" for example in header.examples)
    text = f"{header.summary}\n\n\b\nExample:\n{examples}"
    return click.command(name, help=text, short_help=header.summary)(command)


def _option(param: Param) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        f"--{param.name.replace('_', '-')}",
        param.name,
        type=_TYPES.get(param.type, click.STRING),
        required=param.default is None,
        help=param.help + _shown_default(param),
    )


def _shown_default(param: Param) -> str:
    return "" if param.default in (None, "NULL") else f"  [default: {param.default}]"


def _asking(query: Query, show: Callable[[State, Result], int | None]) -> Callable[..., int | None]:
    @pass_state
    def ask(state: State, /, show_sql: bool, **given: Any) -> int | None:
        if show_sql:
            click.echo(query.text.rstrip())
            return None
        known = {name: value for name, value in given.items() if value is not None}
        with state.ledger().reader() as reader:
            return show(state, reader.ask(state.catalog.call(query, known), known))

    return ask
