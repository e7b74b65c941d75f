"""``atlas query``: every file in ``queries/shortcuts`` is a subcommand."""

from __future__ import annotations

import click

from atlas.cli.output import emit, emit_rows, format_options
from atlas.cli.prepared import prepared_command
from atlas.cli.state import State, pass_state


class Shortcuts(click.Group):
    """A group whose commands are query files."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names as one types them."""
        shortcuts = ctx.ensure_object(State).catalog.queries["shortcuts"]
        return [name.replace("_", "-") for name in shortcuts]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one query file: its header gives help and options."""
        query = ctx.ensure_object(State).catalog.find("shortcuts", cmd_name)
        return None if query is None else prepared_command(cmd_name, query, emit)


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
