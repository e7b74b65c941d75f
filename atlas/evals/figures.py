"""What is told about a series of runs, by the same macros that the views of a ledger call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.compare.judge import ask_macros

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_REL_SPREAD = 0.20
"""(max - min) / median above which a series is no measurement (rules of evidence)."""

_FIGURES = ("count", "median", "mean", "min", "max", "stdev", "mad", "rel_spread")


def summaries(
    samples: Mapping[str, Sequence[float]], max_rel_spread: float
) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Summary and stability of each series.

    Args:
        samples: metric → its values, one per process, in the metric's unit.
        max_rel_spread: the bound, a fraction of the median.

    Returns:
        metric → ``({count, median, mean, min, max, stdev, mad, rel_spread}, {status,
        max_rel_spread, rel_spread})``; metrics without a value are left out.
    """
    names = [name for name, values in samples.items() if values]
    if not names:
        return {}
    asked = [{"samples": list(samples[name]), "max_rel_spread": max_rel_spread} for name in names]
    told = ask_macros("told_series", series=asked)
    return {
        name: ({figure: summary[figure] for figure in _FIGURES}, stability)
        for name, (_, summary, stability) in zip(names, told, strict=True)
    }


def unknown_stability(max_rel_spread: float) -> dict[str, Any]:
    """The stability of a series without values."""
    return {"status": "unknown", "max_rel_spread": max_rel_spread, "rel_spread": None}


def goal_of(metric: str) -> str:
    """``maximize`` or ``minimize``, by the metric's name."""
    return str(ask_macros("metric_rules", metrics=[metric])[0][1]["goal"])
