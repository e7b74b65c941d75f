"""Baselines: which one a candidate is compared with, and when a series may become one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlas.ask import ask, find_one
from atlas.errors import BadInput
from atlas.evals.side import Side, side_from_json
from atlas.json_file import read_object
from ledger import canonical

if TYPE_CHECKING:
    from atlas.evals.run_record import RunRecord
    from atlas.evals.task_file import Task
    from ledger.reader import Reader
    from queries.catalog import Catalog

ENOUGH_RUNS = 4
"""Runs a series needs to become a task's baseline (rules of evidence)."""

_WEAK_RUNS = 2


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a candidate is compared with.

    Attributes:
        source: ``task``, ``refreshed``, ``interleaved``, ``missing-required``, a path or an id.
        metrics: medians by metric.
        summary: summaries by metric, as far as they are known.
        side: samples and identity; None when there is nothing to judge against.
    """

    source: str
    metrics: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    side: Side | None = None

    def as_json(self) -> dict[str, Any]:
        """The form in ``result.json``."""
        told: dict[str, Any] = {
            "source": self.source,
            "metrics": self.metrics,
            "summary": self.summary,
        }
        if self.side is not None:
            told |= {"weak": self.side.weak, **self.side.as_json()}
        return told


def baseline_from_document(document: dict[str, Any], source: str, metric: str) -> Baseline:
    """The baseline of a ``baseline.json`` or a ``result.json``.

    Raises:
        BadInput: it holds no number for a metric.
    """
    metrics, summary = document.get("metrics"), document.get("summary")
    if not isinstance(metrics, dict) or not metrics:
        raise BadInput(f"{source}: no baseline: it has no metrics", hint="name a baseline.json")
    named = document.get("metric") or metric
    values = document.get("side") if isinstance(document.get("side"), dict) else document
    side = side_from_json(dict(values or {}), str(named), weak=document.get("weak") is True)
    return Baseline(source, metrics, summary if isinstance(summary, dict) else {}, side)


def named_baseline(reader: Reader, catalog: Catalog, name: str, metric: str) -> Baseline:
    """What ``--baseline`` names: a file, or an event of the ledger.

    Raises:
        BadInput: it is no baseline, and no eval that could be one.
        NotFound: there is no such file or event.
    """
    path = Path(name)
    if path.exists():
        return baseline_from_document(read_object(path), name, metric)
    found = find_one(reader, catalog, name)
    events = ask(reader, catalog, "whole_event", id=found["event_id"]).dicts()
    payload = canonical.loads(events[0]["payload"].encode())[0] if events else {}
    document = payload.get("document")
    if not isinstance(document, dict):
        raise BadInput(f"{name} is no baseline and no eval", hint="`atlas log --kind baseline`")
    return baseline_from_document(document, str(found["event_id"]), metric)


def newest_baseline(reader: Reader, catalog: Catalog, task_id: str, side: Side) -> Baseline | None:
    """The newest baseline of a task on this host and device that was not taken back."""
    found = ask(reader, catalog, "task_baselines_of", task_id=task_id, host=side.host).dicts()
    for one in found:
        document = canonical.loads(one["document"].encode())[0]
        made = baseline_from_document(document, str(one["event_id"]), side.metric)
        if made.side is not None and made.side.device == side.device:
            return made
    return None


def task_baseline(task: Task) -> Baseline:
    """The task's own numbers, which are a reference and no more; or that a fresh one is needed."""
    if task.fresh_baseline:
        return Baseline("missing-required")
    metrics, host = task.part("baseline").get("metrics"), task.part("target").get("host")
    side = Side((), task.metric, host if host != "unknown" else None)
    return Baseline("task", metrics if isinstance(metrics, dict) else {}, side=side)


def why_no_baseline(
    records: list[RunRecord], stability: str, *, accept_weak: bool
) -> tuple[str | None, bool]:
    """Why a series can't become a baseline; None when it can, and whether it would be weak.

    A baseline is a stable, unprofiled, repeated measurement; ``accept_weak`` waives the count only.
    """
    count = len(records)
    weak = accept_weak and _WEAK_RUNS <= count < ENOUGH_RUNS
    hurdles = (
        (any(one.reason for one in records), "a run failed"),
        (any(one.profiled for one in records), "it was profiled: that says where time goes only"),
        (len({one.binary.get("md5") for one in records}) > 1, "its program changed between runs"),
        (stability == "unstable", "it is unstable"),
        (
            count < ENOUGH_RUNS and not weak,
            f"{count} measured run(s), it needs {ENOUGH_RUNS}: use --runs {ENOUGH_RUNS}",
        ),
    )
    why = next((told for met, told in hurdles if met), None)
    return why, weak and why is None
