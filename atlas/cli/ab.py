"""``atlas graph-ab`` and ``atlas ab``: two sides in turn."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from atlas.cli.output import emit_object, emit_rows, format_options
from atlas.cli.row_options import open_row, row_options
from atlas.cli.state import State, pass_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from atlas.ab.sides import Compared
    from atlas.evals.tools import Tools

_INTERRUPTED = 130
_GOOD = ("pass", "unstable")
_RUNNING = (
    click.option("--timeout", default=600.0, show_default=True, help="Seconds a process may take."),
    click.option("--cwd", type=click.Path(path_type=Path), default=".", help="Where commands run."),
    click.option("--resume", is_flag=True, help="Go on with one that was ended early."),
    click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write JSON."),
    click.option("--pretty", is_flag=True, help="Indent the JSON."),
)


def _running_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_RUNNING):
        command = option(command)
    return command


def _pairs(_ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not mark or not name:
            raise click.BadParameter(f"{text!r} is not NAME=VALUE")
        pairs[name] = value
    return pairs


@click.command("graph-ab")
@row_options
@click.option("--correctness-command", multiple=True, help="Run with graph on; repeatable.")
@click.option(
    "--runs",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Processes a side, in turn; 4 or more give a verdict.",
)
@_running_options
@format_options
@pass_state
def graph_ab(state: State, /, **given: Any) -> int:
    """Graph capture off against on, from a row's own command and environment.

    Off twice, then on twice; the second pass is the headline. What comes out is measured
    evidence, not promotion proof.

    \b
    Example:
      atlas graph-ab latest --runs 8
    """
    from atlas.ab.graph import GraphOptions, run_graph_ab
    from atlas.task.contract import contract_of

    with open_row(state, given) as source:
        contract = contract_of(source)
    options = GraphOptions(
        given["cwd"], given["correctness_command"], given["timeout"], given["runs"], given["resume"]
    )
    return _finish(state, run_graph_ab(contract, options, _tools(state)), given)


@click.command()
@click.option("--a", required=True, help="Base command.")
@click.option("--b", help="The other command.  [default: the same]")
@click.option("--env-a", multiple=True, callback=_pairs, help="NAME=VALUE for the base.")
@click.option("--env-b", multiple=True, callback=_pairs, help="NAME=VALUE for the other side.")
@click.option("--metric", required=True, help="Looked up in the whole output.")
@click.option("--goal", type=click.Choice(("maximize", "minimize")), help="[by the metric's name]")
@click.option(
    "--order",
    type=click.Choice(("abba", "ab")),
    default="abba",
    show_default=True,
    help="How the two take turns; abba evens out a drift.",
)
@click.option("--pairs", default=8, show_default=True, type=click.IntRange(1), help="A side.")
@click.option("--aa", "is_aa", is_flag=True, help="One command twice: the host's own noise.")
@_running_options
@format_options
@pass_state
def ab(state: State, /, **given: Any) -> int:
    """Any two commands or environments in turn, each process an event as it ends.

    \b
    Example:
      atlas ab --a ./old/bench --b ./new/bench --metric score --pairs 8
    """
    from atlas.ab.general import AbOptions, run_ab

    options = AbOptions(**{name: given[name] for name in AbOptions.__dataclass_fields__})
    return _finish(state, run_ab(options, _tools(state)), given)


def _tools(state: State) -> Tools:
    from atlas.evals.tools import Tools

    return Tools(state.ledger(make_folder=True), state.catalog, state.observer)


def _finish(state: State, done: Compared, given: dict[str, Any]) -> int:
    from atlas.ab.general import describe
    from atlas.evals.documents import write_json

    if done.status == "interrupted":
        click.echo("atlas: interrupted; --resume goes on with it", err=True)
        return _INTERRUPTED
    state.ledger().drain()
    for reason in done.document["reasons"]:
        state.observer.remark(f"{done.status}: {reason}")
    if given["output"] is not None:
        write_json(given["output"], done.document)
    if sys.stdout.isatty() and state.format == "table":
        emit_rows(state, ("field", "value"), describe(done.document))
        click.echo(done.document["note"])
    elif given["pretty"] or state.format != "table":
        emit_object(done.document)
    elif given["output"] is None:
        click.echo(json.dumps(done.document, ensure_ascii=False))
    return 0 if done.status in _GOOD else 1
