"""Reading a task: from its file, or from the ledger by id; tasks of the older tool included."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.errors import BadInput, BadUsage, NotFound
from atlas.evals.command import Command, command_from_json
from atlas.json_file import read_object
from ledger import canonical

if TYPE_CHECKING:
    from pathlib import Path

    from ledger.reader import Reader
    from queries.catalog import Catalog

SCHEMA = "hipfire.kernel_atlas.task.v0"


@dataclass(frozen=True, slots=True)
class Task:
    """What an eval needs of a task.

    Attributes:
        task_id: its id.
        document: the whole task.
        folder: where its file lies; None when it came from the ledger.
        metric: metric of the eval.
        goal: ``maximize`` or ``minimize``; None when the task doesn't say.
        benchmark: the command that is measured.
        correctness: commands that have to end with 0.
        env: variables the contract sets.
        allowed: files that may be edited.
        cut: commit and tree state it was cut from.
        fresh_baseline: its own numbers are no reference.
        prompt_md5: what a prompt file must hash to.
    """

    task_id: str
    document: dict[str, Any]
    folder: Path | None
    metric: str
    goal: str | None
    benchmark: Command
    correctness: tuple[Command, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    allowed: tuple[str, ...] = ()
    cut: dict[str, Any] = field(default_factory=dict)
    fresh_baseline: bool = False
    prompt_md5: str | None = None

    def part(self, name: str) -> dict[str, Any]:
        """A member that should be an object; empty when it is none."""
        return _object(self.document, name)


def read_task(path: Path) -> Task:
    """The task of a file.

    Raises:
        BadInput: it can't be read, or is no task.
    """
    return task_of(read_object(path), path.name, path.resolve().parent)


def find_task(reader: Reader, catalog: Catalog, prefix: str) -> Task:
    """The newest task whose id starts with ``prefix``.

    Raises:
        NotFound: there is none.
        BadUsage: there are several.
    """
    found = ask(reader, catalog, "tasks_like", prefix=prefix).dicts()
    exact = [one for one in found if one["task_id"] == prefix]
    chosen = exact or found
    names = sorted({str(one["task_id"]) for one in chosen})
    if not chosen:
        raise NotFound(
            f"no task file or task id {prefix!r}", hint="`atlas query tried` lists tasks"
        )
    if len(names) > 1:
        raise BadUsage(f"{prefix!r} is ambiguous: {', '.join(names[:8])}", hint="give more of it")
    return task_of(canonical.loads(chosen[0]["document"].encode())[0], names[0], None)


def task_of(document: dict[str, Any], where: str, folder: Path | None) -> Task:
    """A task document, checked as far as an eval needs it.

    Raises:
        BadInput: a needed field is missing or of the wrong kind; names it.
    """
    if document.get("schema") != SCHEMA:
        raise BadInput(f"{where}: no task (schema {document.get('schema')!r})", hint=SCHEMA)
    contract, baseline = _object(document, "eval"), _object(document, "baseline")
    metric, task_id = contract.get("metric"), document.get("task_id")
    if not isinstance(metric, str) or not metric:
        raise BadInput(f"{where}: eval.metric is missing")
    if not isinstance(task_id, str) or not task_id:
        raise BadInput(f"{where}: task_id is missing")
    command = contract.get("benchmark_command") or baseline.get("command")
    goal = contract.get("goal")
    if goal not in (None, "maximize", "minimize"):
        raise BadInput(f"{where}: eval.goal is {goal!r}", hint="maximize or minimize")
    fresh = contract.get("requires_fresh_baseline", baseline.get("requires_fresh_baseline"))
    return Task(
        task_id=task_id,
        document=document,
        folder=folder,
        metric=metric,
        goal=goal,
        benchmark=command_from_json(command, f"{where}: eval.benchmark_command"),
        correctness=_correctness(contract, where),
        env=_env(baseline.get("env"), where),
        allowed=tuple(
            one
            for one in _object(document, "constraints").get("allowed_files") or ()
            if isinstance(one, str)
        ),
        cut=_object(document, "cut"),
        fresh_baseline=fresh is True,
        prompt_md5=_object(baseline, "provenance").get("prompt_md5"),
    )


def _correctness(contract: dict[str, Any], where: str) -> tuple[Command, ...]:
    given = contract.get("correctness_commands") or []
    if not isinstance(given, list):
        raise BadInput(f"{where}: eval.correctness_commands is no list")
    return tuple(
        command_from_json(one, f"{where}: eval.correctness_commands[{at}]")
        for at, one in enumerate(given)
    )


def _env(given: Any, where: str) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise BadInput(f"{where}: baseline.env is no object")
    return {str(name): str(value) for name, value in given.items() if value is not None}


def _object(document: dict[str, Any], name: str) -> dict[str, Any]:
    value = document.get(name)
    return value if isinstance(value, dict) else {}
