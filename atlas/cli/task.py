"""``atlas task`` and ``atlas task-pytorch``: bounded contracts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from atlas.cli.output import emit_object, format_options
from atlas.cli.row_options import open_row, row_options
from atlas.cli.state import State, pass_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from atlas.task.bundle import Bundle

_BUNDLE = (
    click.option("--allowed-file", multiple=True, help="A file that may be edited; repeatable."),
    click.option("--task-id", help="Instead of the id its content gives."),
    click.option("--output-dir", type=click.Path(path_type=Path), help="Where the bundle goes."),
)


def _bundle_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_BUNDLE):
        command = option(command)
    return command


@click.command()
@row_options
@click.option("--correctness-command", multiple=True, help="Has to end with 0; repeatable.")
@click.option("--suggestion-rank", type=click.IntRange(1), help="Cut it from this suggestion.")
@click.option("--suggestion-id", help="The same by id.")
@click.option(
    "--max-suggestions",
    default=12,
    show_default=True,
    type=click.IntRange(1),
    help="How many are made to choose from.",
)
@click.option(
    "--hot-limit",
    default=8,
    show_default=True,
    type=click.IntRange(1),
    help="How many kernels of the profile are looked at.",
)
@click.option("--history", multiple=True, type=click.Path(path_type=Path), help="Earlier tries.")
@_bundle_options
@format_options
@pass_state
def task(state: State, /, **given: Any) -> None:
    """Cut a task from a row: files that may be edited, commands, metric, baseline.

    ROW is an id prefix, `latest` (the default) or a selection such as arch=gfx1201.

    \b
    Example:
      atlas task latest --allowed-file kernels/src/gemv.hip --correctness-command 'make check'
    """
    from atlas.task.from_row import TaskWishes, task_from_row
    from atlas.task.suggestion import Choice

    choice = Choice(
        given["suggestion_rank"],
        given["suggestion_id"],
        given["max_suggestions"],
        given["hot_limit"],
        given["history"],
    )
    wishes = TaskWishes(
        Path.cwd(), given["allowed_file"], given["correctness_command"], given["task_id"], choice
    )
    with open_row(state, given) as source:
        made = task_from_row(source, wishes)
    _finish(state, made, given["output_dir"], record=given["row_file"] is None)


@click.command("task-pytorch")
@click.option("--name", required=True, help="Name of the workload.")
@click.option("--op", required=True, help="Operation it is about.")
@click.option("--input-shape", multiple=True, help="Such as 1x4096; repeatable.")
@click.option("--dtype", default="float16", show_default=True, help="Element type.")
@click.option("--eval-command", required=True, help="Prints score=… or score: …; bash runs it.")
@_bundle_options
@format_options
@pass_state
def task_pytorch(state: State, /, **given: Any) -> None:
    """A task around any program that prints a score. Nothing is extracted from PyTorch.

    \b
    Example:
      atlas task-pytorch --name softmax --op softmax --input-shape 1x4096 --eval-command ./bench.sh
    """
    from atlas.task.pytorch import Probe, task_from_probe

    probe = Probe(
        given["name"],
        given["op"],
        given["input_shape"],
        given["dtype"],
        given["eval_command"],
        given["allowed_file"],
        given["task_id"],
    )
    click.echo("atlas: nothing is extracted from PyTorch; the command prints its score", err=True)
    _finish(state, task_from_probe(probe, Path.cwd()), given["output_dir"], record=True)


def _finish(state: State, made: dict[str, Any], output_dir: Path | None, *, record: bool) -> None:
    from atlas.identity.host import observe_host
    from atlas.task.bundle import write_bundle

    for warning in _warnings(made):
        state.observer.remark(warning)
    ledger = state.ledger(make_folder=True) if record else None
    bundle = write_bundle(made, output_dir, ledger, observe_host().hostname)
    if ledger is not None:
        ledger.drain()
    _show(state, bundle)


def _warnings(made: dict[str, Any]) -> list[str]:
    from atlas.evals.command import command_from_json
    from atlas.task.correctness import correctness_warnings

    given = made["eval"]["correctness_commands"]
    commands = [command_from_json(one, "correctness command") for one in given]
    told = correctness_warnings(commands, Path.cwd())
    if not made["eval"]["benchmark_command"]:
        told.append("the row carries no command: add eval.benchmark_command before an eval")
    if not made["constraints"]["allowed_files"]:
        told.append("no file may be edited: name some with --allowed-file")
    return told


def _show(state: State, bundle: Bundle) -> None:
    if state.format != "table":
        emit_object(bundle.task)
    elif sys.stdout.isatty():
        click.echo(f"{bundle.task['task_id']}: {bundle.task['experiment']['title']}")
        click.echo(f"{bundle.task_json}\n{bundle.task_md}")
    else:
        emit_object({"task_json": str(bundle.task_json), "task_md": str(bundle.task_md)})
