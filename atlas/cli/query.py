"""``atlas query``: every file in ``queries/shortcuts`` is a subcommand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from atlas.cli.output import emit, emit_rows, format_options
from atlas.cli.state import State, pass_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from queries.catalog import Query
    from queries.header import Param

_TYPES: dict[str, click.ParamType[Any]] = {
    "VARCHAR": click.STRING,
    "INTEGER": click.INT,
    "BIGINT": click.INT,
    "DOUBLE": click.FLOAT,
    "BOOLEAN": click.BOOL,
}


class Shortcuts(click.Group):
    """A group whose commands are query files."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names as one types them."""
        shortcuts = ctx.ensure_object(State).catalog.queries["shortcuts"]
        return [name.replace("_", "-") for name in shortcuts]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one query file: its header gives help and options."""
        query = ctx.ensure_object(State).catalog.find("shortcuts", cmd_name)
        return None if query is None else _command(cmd_name, query)


def _command(name: str, query: Query) -> click.Command:
    header = query.header
    command: Callable[..., None] = _ask(query)
    for param in reversed(header.params):
        command = _option(param)(command)
    command = click.option("--show-sql", is_flag=True, help="Print the statement, don't run it.")(
        format_options(command)
    )
    examples = "\n".join(f"  {example}" for example in header.examples)
    text = f"{header.summary}\n\n\b\nExample:\n{examples}"
    return click.command(name, help=text, short_help=header.summary)(command)


def _option(param: Param) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return click.option(
        f"--{param.name.replace('_', '-')}",
        param.name,
        type=_TYPES.get(param.type, click.STRING),
        required=param.default is None,
        help=param.help + _shown_default(param),
    )


def _shown_default(param: Param) -> str:
    return "" if param.default in (None, "NULL") else f"  [default: {param.default}]"


def _ask(query: Query) -> Callable[..., None]:
    @pass_state
    def ask(state: State, /, show_sql: bool, **given: Any) -> None:
        if show_sql:
            click.echo(query.text.rstrip())
            return
        known = {name: value for name, value in given.items() if value is not None}
        with state.ledger().reader() as reader:
            emit(state, reader.ask(state.catalog.call(query, known), known))

    return ask


@click.group(cls=Shortcuts, invoke_without_command=True)
@format_options
@pass_state
@click.pass_context
def query(ctx: click.Context, state: State) -> None:
    """Ask a prepared question; without a name, list them.

    \b
    Example:
      atlas query hot-kernels --arch gfx1151 --format json
    """
    if ctx.invoked_subcommand is None:
        shortcuts = state.catalog.queries["shortcuts"].values()
        emit_rows(
            state,
            ("query", "what it answers", "options"),
            (
                (
                    query.name.replace("_", "-"),
                    query.header.summary,
                    " ".join(f"--{param.name.replace('_', '-')}" for param in query.header.params),
                )
                for query in shortcuts
            ),
        )
