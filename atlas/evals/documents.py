"""The documents an eval leaves behind, under the names that people's tools read."""

from __future__ import annotations

import datetime as dt
import json
import os
from typing import TYPE_CHECKING, Any

from atlas.errors import BadUsage

if TYPE_CHECKING:
    from pathlib import Path

    from atlas.evals.arm import Experiment
    from atlas.evals.outcome import Outcome, Series
    from atlas.evals.side import Side
    from atlas.evals.task_file import Task

EVAL_SCHEMA = "hipfire.kernel_atlas.eval.v0"
BASELINE_SCHEMA = "hipfire.kernel_atlas.baseline.v0"
NOTE = "Measured evidence, not promotion proof."
"""Rule 1 of the rules of evidence; every report says so in these words."""

RESULT, LINES, BASELINE = "result.json", "ledger.jsonl", "baseline.json"


def now_utc() -> str:
    """The time as documents have it: UTC, ISO-8601."""
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def headline(experiment: Experiment, task: Task, outcome: Outcome, captured: str) -> dict[str, Any]:
    """What a result says first: which task, when, what came out, and what it was about."""
    suggestion = task.part("producer").get("suggestion")
    suggestion = suggestion if isinstance(suggestion, dict) else {}
    return {
        "schema": EVAL_SCHEMA,
        "note": NOTE,
        "task_id": task.task_id,
        "experiment_id": experiment.experiment_id,
        "captured_at_utc": captured,
        "status": outcome.status,
        "reasons": outcome.reasons,
        "metric": experiment.metric,
        "goal": experiment.goal,
        "target": task.part("target"),
        "experiment": {
            "hot_kernel": task.part("hot_kernel").get("name") or suggestion.get("hot_kernel"),
            "lever_type": task.part("experiment").get("lever_type"),
            "suggestion_id": suggestion.get("id"),
            "history_key": suggestion.get("history_key"),
        },
    }


def provenance_json(side: Side, git: dict[str, Any]) -> dict[str, Any]:
    """Commit, state of the tree and program of what was measured."""
    return {
        "git_sha": git.get("sha"),
        "git_dirty": git.get("dirty"),
        "git_state": git.get("state"),
        "diff_md5": git.get("diff_md5"),
        "tree_md5": git.get("tree_md5"),
        "binary_md5": side.binary_md5,
        "binary_kind": side.binary_kind,
        "code_objects_sha256": side.code_objects,
    }


def baseline_document(
    result: dict[str, Any], series: Series, side: Side, *, weak: bool
) -> dict[str, Any]:
    """``baseline.json``: a series that candidates are compared with."""
    same = ("task_id", "experiment_id", "captured_at_utc", "metric", "goal", "metrics", "summary")
    return {
        "schema": BASELINE_SCHEMA,
        **{name: result[name] for name in same},
        "stability": series.stability,
        "run_count": len(series.records),
        "warmup_run_count": len(result["warmup_runs"]),
        "weak": weak,
        "side": side.as_json(),
        "provenance": result["provenance"],
    }


def ledger_line(result: dict[str, Any]) -> dict[str, Any]:
    """The line of ``ledger.jsonl``."""
    same = ("task_id", "captured_at_utc", "status", "metric", "metrics", "summary", "stability")
    return {
        **{name: result[name] for name in same},
        "baseline_source": result["baseline"]["source"],
        "speedup": result["delta"]["speedup"],
        "verdict": (result["verdict"] or {}).get("verdict"),
        "diff_md5": result["provenance"]["diff_md5"],
    }


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write a document as a whole or not at all.

    Raises:
        BadUsage: the folder can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = path.with_name(f".{path.name}.{os.getpid()}")
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
        whole.write_text(text + "\n", encoding="utf-8")
        whole.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error


def add_line(path: Path, document: dict[str, Any]) -> None:
    """Append one line of JSON in a single write.

    Raises:
        BadUsage: the file can't be written.
    """
    line = json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(handle, line.encode())
        finally:
            os.close(handle)
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> BadUsage:
    """The error of a file that can't be written."""
    return BadUsage(
        f"cannot write {path}: {error.strerror}",
        hint="what was measured is in the ledger; choose another --output-dir",
    )
