"""What an eval consists of, before anything runs: its sides, its plan, and its own files."""

from __future__ import annotations

import os
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from atlas.evals import documents
from atlas.evals.arm import Arm, Experiment, Slot, in_turn
from atlas.evals.child_env import contract_environment
from atlas.evals.command import command_from_text
from atlas.evals.figures import goal_of
from atlas.identity.host import observe_host

if TYPE_CHECKING:
    from pathlib import Path

    from atlas.evals.options import EvalOptions
    from atlas.evals.task_file import Task
    from ledger.store import Ledger


def experiment_of(task: Task, options: EvalOptions) -> Experiment:
    """The experiment that a task's contract asks for; the candidate is its last side."""
    return Experiment(
        kind="eval",
        experiment_id=str(uuid.uuid4()),
        session_id=str(uuid.uuid4()),
        metric=task.metric,
        goal=task.goal or goal_of(task.metric),
        arms=_arms(task, options),
        host=observe_host().hostname,
        timeout=options.timeout,
        task_id=task.task_id,
        shape={"interleave": options.interleave},
    )


def plan_of(task: Task, options: EvalOptions, arms: tuple[Arm, ...]) -> list[Slot]:
    """Correctness first, then warm-up, then the measured runs."""
    candidate = arms[-1]
    slots = [
        Slot("correctness", candidate, at, command) for at, command in enumerate(task.correctness)
    ]
    warmups = range(options.warmup_runs)
    slots += [Slot("warmup", arm, at, arm.command) for at in warmups for arm in arms]
    if options.interleave:
        return slots + in_turn((arms[0], candidate), options.runs, options.interleave)
    measured = range(options.runs)
    return slots + [Slot("measured", candidate, at, candidate.command) for at in measured]


def ledger_files(ledger: Ledger) -> tuple[Path, ...]:
    """Files and folders in which a ledger lives: no part of what is measured."""
    place = ledger.place
    wal = place.file.with_name(place.file.name + ".wal")
    return (place.file, wal, place.outbox, place.lock_file)


def own_files(task: Task, options: EvalOptions, ledger: Ledger) -> tuple[Path, ...]:
    """What an eval writes, the task's own folder, and the ledger."""
    names = (documents.RESULT, documents.LINES, documents.BASELINE)
    output = [options.output_dir / name for name in names]
    folder = [task.folder] if task.folder is not None else []
    return (*output, *folder, *ledger_files(ledger))


def _arms(task: Task, options: EvalOptions) -> tuple[Arm, ...]:
    """The candidate, behind the baseline side where there is one."""
    child = contract_environment(os.environ, task.env)
    candidate = Arm(
        "candidate", task.benchmark, task.env, child, options.cwd.resolve(), task.prompt_md5
    )
    if options.baseline_command is not None:
        command = command_from_text(options.baseline_command)
        return replace(candidate, name="baseline", command=command), candidate
    if options.baseline_worktree is not None:
        cwd = options.baseline_worktree.resolve()
        return replace(candidate, name="baseline", cwd=cwd), candidate
    return (candidate,)
