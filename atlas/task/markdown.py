"""TASK.md: a task's contract in plain words, for a person or an agent."""

from __future__ import annotations

import shlex
from typing import Any

from atlas.evals.documents import NOTE


def task_markdown(task: dict[str, Any]) -> str:
    """The same contract as ``task.json``, to be read."""
    target, experiment, contract = task["target"], task["experiment"], task["eval"]
    lines = [f"# {experiment['title']}", "", f"Task `{task['task_id']}`. {NOTE}", ""]
    if task["producer"]["kind"] == "pytorch":
        lines += ["Nothing was extracted from PyTorch: the command prints its own score.", ""]
    lines += ["## Target", "", *(f"- {name}: {value}" for name, value in target.items()), ""]
    lines += _kernel(task["hot_kernel"])
    lines += ["## Experiment", "", f"- lever: {experiment['lever_type']}"]
    lines += [f"- risk: {experiment['risk']}, expected: {experiment['expected_impact']}"]
    lines += [f"- why: {one}" for one in experiment["rationale"]]
    lines += [f"- step: {one}" for one in experiment["candidate_steps"]]
    lines += ["", *_bounds(task), "## How it is measured", ""]
    lines += [f"- metric: `{contract['metric']}`, {contract['goal']}"]
    lines += [f"- benchmark: `{_shown(contract['benchmark_command'])}`"]
    lines += [f"- has to pass: `{_shown(one)}`" for one in contract["correctness_commands"]]
    if not contract["correctness_commands"]:
        lines += ["- no correctness command: the result says how fast, never whether it is right"]
    lines += [f"- variables: `{n}={v}`" for n, v in task["baseline"]["env"].items()]
    lines += ["", *_baseline(task), *_steps(task["task_id"])]
    return "\n".join(lines) + "\n"


def _kernel(kernel: dict[str, Any]) -> list[str]:
    lines = ["## Hot kernel", "", f"- name: `{kernel['name']}`"]
    if kernel["profile"].get("pct") is not None:
        lines.append(f"- share of the profile: {kernel['profile']['pct']} %")
    paths = [one.get("path") if isinstance(one, dict) else one for one in kernel["source_files"]]
    lines += [f"- may lie in: `{path}`" for path in paths if path]
    return [*lines, ""]


def _bounds(task: dict[str, Any]) -> list[str]:
    """Which files may be edited, and what they are compared with."""
    allowed = task["constraints"]["allowed_files"]
    lines = ["## Bounds", "", "Only these files may change; the eval fails for any other:", ""]
    lines += [f"- `{path}`" for path in allowed] or ["- none"]
    sha = task["cut"].get("git_sha")
    cut = f"Cut from commit `{sha}`." if sha else "No commit is known: bounds can't be checked."
    return [*lines, "", cut, ""]


def _baseline(task: dict[str, Any]) -> list[str]:
    baseline = task["baseline"]
    metric = task["eval"]["metric"]
    lines = ["## Baseline", ""]
    if baseline["metrics"].get(metric) is not None:
        lines.append(f"- the row's own {metric}: {baseline['metrics'][metric]} (a reference only)")
    if baseline["requires_fresh_baseline"]:
        lines.append("- the row was profiled: measure a fresh baseline before changing anything")
    lines += [f"- left out of the row's variables: `{n}`" for n in baseline["stripped_env_keys"]]
    return [*lines, ""]


def _steps(task_id: str) -> list[str]:
    return [
        "## Steps",
        "",
        "1. Before any change: `atlas eval --task task.json --runs 4 --refresh-baseline`",
        "2. Change one thing within the bounds, build.",
        "3. `atlas eval --task task.json --runs 4`",
        "",
        f"`atlas query tried --task-id {task_id}` shows what was tried. {NOTE}",
    ]


def _shown(command: list[str] | str) -> str:
    return command if isinstance(command, str) else shlex.join(command)
