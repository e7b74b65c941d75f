"""``atlas eval``: run a task's contract."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from atlas.cli.output import emit_object, emit_rows, format_options
from atlas.cli.state import State, pass_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from atlas.evals.options import EvalOptions
    from atlas.evals.session import Evaluated
    from atlas.evals.task_file import Task
    from atlas.evals.tools import Tools

_INTERRUPTED = 130
_GOOD = ("pass", "unstable")

_OPTIONS = (
    click.option("--task", "task_name", required=True, help="A task.json, or a task id."),
    click.option("--output-dir", type=click.Path(path_type=Path), help="[the task's folder]"),
    click.option("--cwd", type=click.Path(path_type=Path), default=".", help="Where commands run."),
    click.option("--timeout", default=600.0, show_default=True, help="Seconds a process may take."),
    click.option("--runs", default=1, show_default=True, type=click.IntRange(1), help="Measured."),
    click.option(
        "--warmup-runs",
        default=0,
        show_default=True,
        type=click.IntRange(0),
        help="Run before these, not measured.",
    ),
    click.option(
        "--max-rel-spread",
        default=0.20,
        show_default=True,
        type=click.FloatRange(0, min_open=True),
        help="(max - min) / median above which a series is unstable.",
    ),
    click.option("--refresh-baseline", is_flag=True, help="Make this series the baseline."),
    click.option("--accept-weak-baseline", is_flag=True, help="2 or 3 runs will do for that."),
    click.option("--baseline", help="A baseline.json or an event id to compare with."),
    click.option("--interleave", type=click.Choice(("abba", "ab")), help="Sides take turns."),
    click.option("--baseline-command", help="What the baseline side runs."),
    click.option(
        "--baseline-worktree",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        help="Where the baseline side runs the same command.",
    ),
    click.option("--resume", is_flag=True, help="Go on with an eval that was ended early."),
    click.option(
        "--allow-out-of-bounds", is_flag=True, help="Record files out of bounds, don't fail."
    ),
)


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("eval")
@_options
@format_options
@pass_state
def eval(state: State, /, **given: Any) -> int:  # noqa: A001  # the command is called so
    """Run a task's contract: correctness, warm-up, measured runs in fresh processes, verdict.

    Every process is an event the moment it ends. Exit code 0 for pass and unstable, else 1. What
    comes out is measured evidence, not promotion proof.

    \b
    Example:
      atlas eval --task task.json --runs 4 --refresh-baseline
    """
    from atlas.evals.session import evaluate
    from atlas.evals.tools import Tools

    tools = Tools(state.ledger(make_folder=True), state.catalog, state.observer)
    task = _task(given["task_name"], tools)
    done = evaluate(task, _chosen(task, given), tools)
    if done.status == "interrupted":
        click.echo("atlas: interrupted; --resume goes on with it", err=True)
        return _INTERRUPTED
    tools.ledger.drain()
    _show(state, done)
    return 0 if done.status in _GOOD else 1


def _task(name: str, tools: Tools) -> Task:
    from atlas.evals.task_file import find_task, read_task

    if Path(name).exists():
        path = Path(name)
        return read_task(path / "task.json" if path.is_dir() else path)
    with tools.ledger.reader() as reader:
        return find_task(reader, tools.catalog, name)


def _chosen(task: Task, given: dict[str, Any]) -> EvalOptions:
    from atlas.evals.options import EvalOptions
    from atlas.where import FOLDER

    names = EvalOptions.__dataclass_fields__.keys() - {"output_dir"}
    folder = task.folder or FOLDER / "tasks" / task.task_id
    return EvalOptions(
        output_dir=given["output_dir"] or folder, **{name: given[name] for name in names}
    )


def _show(state: State, done: Evaluated) -> None:
    """A table for people; what scripts read where stdout is no terminal."""
    result = done.result
    for reason in result["reasons"]:
        state.observer.remark(f"{done.status}: {reason}")
    if state.format != "table":
        emit_object(result)
    elif sys.stdout.isatty():
        emit_rows(state, ("field", "value"), _lines(done))
        click.echo(result["note"])
    else:
        emit_object({"result_path": str(done.result_path), "status": done.status})


def _lines(done: Evaluated) -> list[tuple[str, Any]]:
    result = done.result
    verdict = result["verdict"] or {}
    names = ("verdict", "reason", "ratio", "lo", "hi", "n_a", "n_b", "delta", "mde", "runs_needed")
    return [
        ("status", done.status),
        ("metric", result["metric"]),
        ("median", result["delta"]["candidate"]),
        ("baseline", f"{result['delta']['baseline']} ({result['baseline']['source']})"),
        *((name, verdict.get(name)) for name in (*names, "grade")),
        ("bounds", " ".join([result["bounds"]["status"], *result["bounds"]["outside"]])),
        ("result", str(done.result_path)),
    ]
