"""A task out of a row, with or without a suggestion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.task.bundle import finished_task, from_root
from atlas.task.contract import UNKNOWN, RowContract, contract_of, row_provenance
from atlas.task.cut import observe_cut
from atlas.task.hot_kernel import HotKernel, hot_kernel_of
from atlas.task.suggestion import Choice, suggestion_for

if TYPE_CHECKING:
    from pathlib import Path

    from atlas.task.row_source import SourceRow

_SUGGESTED = (
    *("id", "rank", "title", "lever_type", "hot_kernel", "op", "risk", "expected_impact"),
    *("score", "history_key", "history", "rationale", "candidate_steps"),
)


@dataclass(frozen=True, slots=True)
class TaskWishes:
    """What was said about a task on the command line.

    Attributes:
        cwd: the folder whose tree it is cut from.
        allowed_files: files that may be edited; by default the suggestion's, else the top source.
        correctness_commands: texts that bash runs.
        task_id: instead of the one its content gives.
        choice: which suggestion.
    """

    cwd: Path
    allowed_files: tuple[str, ...] = ()
    correctness_commands: tuple[str, ...] = ()
    task_id: str | None = None
    choice: Choice = field(default_factory=Choice)


def task_from_row(source: SourceRow, wishes: TaskWishes) -> dict[str, Any]:
    """The task document of a row.

    Raises:
        NotFound: there is no such suggestion.
    """
    suggestion = suggestion_for(source.reader, source.catalog, source.known, wishes.choice)
    contract = contract_of(source)
    named = suggestion.get("hot_kernel") if suggestion else None
    kernel = hot_kernel_of(source, named, wishes.choice.hot_limit)
    kind = "suggestion" if suggestion else "row"
    told = {name: suggestion.get(name) for name in _SUGGESTED} if suggestion else {}
    body = {
        "producer": {"kind": f"hipfire-atlas-{kind}", "suggestion": told},
        "target": contract.target,
        "hot_kernel": kernel.as_json(),
        "baseline": {
            "metrics": source.part("metrics"),
            "command": contract.command,
            "env": contract.env,
            "row_env": contract.row_env,
            "stripped_env_keys": contract.stripped,
            "requires_fresh_baseline": contract.requires_fresh_baseline,
            "provenance": row_provenance(source),
        },
        "experiment": _experiment(suggestion, kernel, contract.target["workload"]),
        "constraints": {"allowed_files": _allowed(wishes, suggestion, kernel)},
        "cut": observe_cut(wishes.cwd),
        "eval": _eval(contract, wishes, suggestion),
    }
    return finished_task(body, "atlas-task-", wishes.task_id)


def _experiment(
    suggestion: dict[str, Any] | None, kernel: HotKernel, workload: str
) -> dict[str, Any]:
    names = ("title", "lever_type", "risk", "expected_impact", "rationale", "candidate_steps")
    if suggestion:
        return {name: suggestion.get(name) for name in names}
    pct = kernel.profile.get("pct")
    share = [f"{kernel.name} holds {pct} % of the profile"] if pct is not None else []
    return {
        "title": f"Optimize {kernel.name if kernel.name != UNKNOWN else workload}",
        "lever_type": "source_sweep",
        "risk": "medium",
        "expected_impact": "unknown",
        "rationale": share,
        "candidate_steps": ["Change one knob at a time, and measure after each."],
    }


def _allowed(wishes: TaskWishes, suggestion: dict[str, Any] | None, kernel: HotKernel) -> list[str]:
    if wishes.allowed_files:
        return from_root(wishes.allowed_files, wishes.cwd)
    if suggestion and suggestion.get("allowed_files"):
        return list(suggestion["allowed_files"])
    return [kernel.top_source] if kernel.top_source else []


def _eval(
    contract: RowContract, wishes: TaskWishes, suggestion: dict[str, Any] | None
) -> dict[str, Any]:
    told = (suggestion or {}).get("correctness_commands") or []
    return {
        "metric": contract.metric,
        "goal": contract.goal,
        "benchmark_command": contract.command,
        "correctness_commands": [*wishes.correctness_commands, *told],
        "requires_fresh_baseline": contract.requires_fresh_baseline,
    }
