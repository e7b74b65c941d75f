"""The command tree. Commands are imported when they run; their short help stands here."""

from __future__ import annotations

from importlib import import_module
from keyword import iskeyword
from pathlib import Path

import click

from atlas.cli.state import State, pass_state

COMMANDS: dict[str, tuple[str, str]] = {
    "collect-ar": ("collect", "Run the AR bench; one event per run, the moment it ends."),
    "collect-dflash": ("collect", "Run the DFlash demo; one event per run, the moment it ends."),
    "parse": ("parse", "Show what is read from a saved output; writes nothing."),
    "ingest": ("ingest", "Append rows, logs and manifests that you already have."),
    "reparse": ("reparse", "Read kept raw output again with a newer parser."),
    "isa": ("isa", "Inspect code objects; `isa diff A B` compares two builds."),
    "dispatch": ("dispatch", "Places in a source tree that mention kernels."),
    "render-fit": ("render_fit", "How a row's kernels sit on its card."),
    "suggest": ("suggest", "Ranked ideas for the next experiment on a row."),
    "task": ("task", "Cut a task from a row: a bounded contract for one experiment."),
    "task-pytorch": ("task", "A task around any program that prints a score."),
    "eval": ("eval", "Run a task's contract: correctness, bounds, runs, verdict."),
    "graph-ab": ("ab", "Graph capture off against on, from a row."),
    "ab": ("ab", "Any two commands or environments, in turn."),
    "compare": ("compare", "Two sides: faster, slower, the same, or a refusal with the fields."),
    "annotate": ("decide", "Say what you decided about a row or an event."),
    "retract": ("decide", "Take an event back; what rests on it is marked."),
    "merge": ("merge", "Bring in the events of other ledgers."),
    "export": ("export", "Write v0 rows, or events for other hosts."),
    "import": ("import_", "Take what another host exported."),
    "sync": ("sync", "Exchange events with a shared folder or an object store."),
    "query": ("query", "Ask a prepared question; without a name, list them."),
    "sql": ("sql", "Ask one SQL statement, read-only."),
    "log": ("log", "The event stream, newest first."),
    "show": ("show", "One event or row: provenance, hashes, payload, raw output."),
    "audit": ("audit", "Check the chain and the facts; exit 1 when something is found."),
    "reproduce": ("reproduce", "What it takes to measure a row again, and the script."),
    "checkpoint": ("checkpoint", "Lines that prove later what the ledger holds now."),
    "rebuild": ("rebuild", "Derive all facts and views again from the events."),
    "init": ("init", "Make a ledger, or give a copied one its own origin."),
    "doctor": ("doctor", "What is found on this host, and what to do about each gap."),
    "demo": ("demo", "The day of a user on bundled data, in a temporary ledger."),
}
"""Command → (module under ``atlas.cli``, short help)."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is run or its own help is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order of a working day."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"atlas.cli.{COMMANDS[cmd_name][0]}")
        name = cmd_name.replace("-", "_")
        command = getattr(module, f"{name}_" if iskeyword(name) else name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{cmd_name} is no command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one may have been meant."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean `atlas {near[0]}`?" if near else "`atlas --help` lists them"
            raise click.UsageError(f"no command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, importing none."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from importlib.metadata import version

        click.echo(f"atlas {version('kernel-atlas')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--ledger",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The ledger file; else ATLAS_LEDGER, else the nearest one above this folder.",
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version)
@pass_state
def cli(state: State, ledger: Path | None) -> None:
    """Measured evidence about GPU kernels, in a ledger that can be believed.

    \b
    Example:
      atlas ingest bench.log && atlas query rows
    """
    state.ledger_option = ledger
