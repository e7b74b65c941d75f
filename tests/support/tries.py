"""Recorded evals and A/Bs for tests, in the form that `atlas eval` and `atlas ab` write."""

from typing import Any

from support.evidence import BINARY, OBJECTS, SHA

from ledger.envelope import Draft

TARGET = {
    "arch": "gfx1100",
    "workload": "qwen3.5",
    "phase": "decode_ar",
    "shape_bucket": "decode_ar_pp128_gen50",
    "quant": "mq4",
}
BASE = [100.0, 100.2, 99.9, 100.1]
BETTER = [104.0, 104.2, 103.9, 104.1]


def runs(experiment: str, values: list[float], minute: int, **changed: Any) -> list[Draft]:
    """Measured runs of one arm; ``kind`` is eval, ab or graph_ab."""
    return [_run(experiment, value, at, minute, changed) for at, value in enumerate(values)]


def _run(experiment: str, value: float, at: int, minute: int, changed: dict[str, Any]) -> Draft:
    recorded = 1_764_500_000_000_000 + (minute + at) * 60_000_000
    run = {
        "role": "measured",
        "arm": changed.get("arm", "candidate"),
        "index": at,
        "command": changed.get("command", '["./probe"]'),
        "returncode": 0,
        "value": value,
        "env": changed.get("env", {}),
        "profiled": False,
        "device": {"arch": "gfx1100", "device_index": 0},
        "binary": {"md5": changed.get("binary_md5", BINARY), "kind": "elf"},
        "code_objects": {"digest": OBJECTS},
        "git": {"sha": SHA, "state": changed.get("git_state", "clean")},
        "ended_us": recorded,
    }
    told = {
        "id": experiment,
        "kind": changed.get("kind", "eval"),
        "contract": "c",
        "task_id": changed.get("task_id", "atlas-task-1"),
        "metric": "score",
        "goal": "maximize",
    }
    payload = {"session_id": f"session of {experiment}", "experiment": told, "run": run}
    return Draft("eval_run", payload, changed.get("host", "amber"), recorded_us=recorded)


def result(experiment: str, minute: int, parts: list[str], **changed: Any) -> Draft:
    """The result of an eval; fields of the document by name."""
    document = {
        "schema": "hipfire.kernel_atlas.eval.v0",
        "task_id": "atlas-task-1",
        "experiment_id": experiment,
        "captured_at_utc": f"2026-03-02T{minute // 60:02d}:{minute % 60:02d}:00Z",
        "status": "pass",
        "metric": "score",
        "goal": "maximize",
        "metrics": {"score": 104.05},
        "samples": BETTER,
        "stability": {"status": "stable", "rel_spread": 0.003},
        "baseline": {"source": "interleaved", "samples": BASE, "metrics": {"score": 100.05}},
        "delta": {"speedup": 1.04},
        "verdict": {"verdict": "faster", "ratio": 1.04, "grade": "one session", "factor": "code"},
        "correctness": [{"returncode": 0}],
        "provenance": {"git_sha": SHA, "git_state": "clean", "binary_md5": BINARY},
        "target": TARGET,
        **changed,
    }
    payload = {
        "session_id": f"session of {experiment}",
        "runs": parts,
        "document": {name: one for name, one in document.items() if one is not None},
    }
    recorded = 1_764_500_000_000_000 + minute * 60_000_000
    return Draft("eval", payload, "amber", recorded_us=recorded)


def graph_ab(experiment: str, minute: int, parts: list[str], **changed: Any) -> Draft:
    """The report of a graph A/B."""
    document = {
        "schema": "hipfire.kernel_atlas.graph_ab.v0",
        "experiment_id": experiment,
        "captured_at_utc": f"2026-03-02T{minute // 60:02d}:{minute % 60:02d}:00Z",
        "status": "pass",
        "metric": "score",
        "goal": "maximize",
        "factor": "env:HIPFIRE_GRAPH",
        "order": "ab",
        "delta": {"graph_off": 100.05, "graph_on": 104.05, "lift": 1.04},
        "verdict": {"verdict": "faster", "ratio": 1.04, "grade": "interleaved"},
        "sides": {
            "a": {"samples": BASE, "host": "amber", "binary_kind": "elf"},
            "b": {"samples": BETTER},
        },
        "target": TARGET,
        **changed,
    }
    payload = {"session_id": f"session of {experiment}", "runs": parts, "document": document}
    recorded = 1_764_500_000_000_000 + minute * 60_000_000
    return Draft("ab", payload, "amber", recorded_us=recorded)


def event_ids(drafts: list[Draft]) -> list[str]:
    """Ids that a passing ledger will give these drafts."""
    from ledger.envelope import seal

    origin = "00000000-0000-0000-0000-000000000000"
    return [seal(draft, origin, 0).event_id for draft in drafts]
