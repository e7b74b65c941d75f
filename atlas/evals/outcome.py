"""What an eval found: its status and why, and the comparison with its baseline."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.evals.baseline import why_no_baseline
from atlas.evals.figures import summaries, unknown_stability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atlas.evals.baseline import Baseline
    from atlas.evals.bounds import Bounds
    from atlas.evals.options import EvalOptions
    from atlas.evals.run_record import RunRecord


@dataclass(frozen=True, slots=True)
class Series:
    """What the measured runs of one side say.

    Attributes:
        records: the runs.
        summary: metric → summary.
        metrics: metric → median.
        stability: of the experiment's metric.
    """

    records: list[RunRecord]
    summary: dict[str, dict[str, Any]]
    metrics: dict[str, float]
    stability: dict[str, Any]


def series_of(records: Sequence[RunRecord], metric: str, max_rel_spread: float) -> Series:
    """Summaries over all metrics that measured runs printed."""
    samples: dict[str, list[float]] = {metric: []}
    for one in records:
        for name, value in one.metrics.items():
            samples.setdefault(name, []).append(value)
    told = summaries(samples, max_rel_spread)
    return Series(
        records=list(records),
        summary={name: summary for name, (summary, _) in told.items()},
        metrics={name: summary["median"] for name, (summary, _) in told.items()},
        stability=told[metric][1] if metric in told else unknown_stability(max_rel_spread),
    )


@dataclass(frozen=True, slots=True)
class Outcome:
    """The status of an eval.

    Attributes:
        status: ``pass``, ``fail``, ``unstable`` or ``needs_baseline``. ``pass`` means: ran,
            correct, in bounds, stable; how fast is the verdict's business.
        reasons: why it is no pass, one sentence each.
        makes_baseline: the series becomes the task's baseline.
        weak: that baseline has too few runs for any claim.
    """

    status: str
    reasons: list[str] = field(default_factory=list)
    makes_baseline: bool = False
    weak: bool = False


def outcome_of(
    failures: list[str], series: Series, baseline: Baseline, options: EvalOptions
) -> Outcome:
    """The status: a failure beats instability, which beats a missing baseline."""
    if failures:
        return Outcome("fail", failures)
    status = str(series.stability["status"])
    if status == "unstable":
        spread, bound = series.stability["rel_spread"], series.stability["max_rel_spread"]
        return Outcome("unstable", [f"spread {spread:.3f} of the median, bound {bound:.2f}"])
    if options.refresh_baseline:
        why, weak = why_no_baseline(
            series.records, status, accept_weak=options.accept_weak_baseline
        )
        if why:
            return Outcome("needs_baseline", [f"no baseline was written: {why}"])
        return Outcome("pass", makes_baseline=True, weak=weak)
    if baseline.source == "missing-required":
        reason = "the task's own numbers were taken under profiling: measure a fresh baseline"
        return Outcome("needs_baseline", [f"{reason} with --refresh-baseline --runs 4"])
    return Outcome("pass")


def failures_of(records: Sequence[RunRecord], bounds: Bounds) -> list[str]:
    """Everything that makes an eval fail, one sentence each."""
    told = [
        f"{one.role} {one.index + 1} of {one.arm}: {one.message}" for one in records if one.reason
    ]
    if bounds.status == "violated":
        told.append(f"changed outside the task's bounds: {', '.join(bounds.outside)}")
    return told


def speedup(
    metric: str, goal: str, candidate: dict[str, float], baseline: dict[str, Any]
) -> float | None:
    """Ratio of medians, above 1 is better; None unless both are numbers above 0."""
    ours, theirs = candidate.get(metric), baseline.get(metric)
    if isinstance(theirs, bool) or not isinstance(theirs, int | float) or ours is None:
        return None
    if min(ours, theirs) <= 0:
        return None
    return ours / theirs if goal == "maximize" else theirs / ours
