"""Comparisons in the words a person reads: one line a pair, or everything about one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.compare.sides import Compared, told_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_COMPARABLE = "not comparable"
COLUMNS = (
    "workload",
    "phase",
    "shape_bucket",
    "metric",
    "verdict",
    "ratio",
    "lo",
    "hi",
    "n_a",
    "n_b",
    "delta",
    "mde",
    "runs_needed",
    "grade",
    "p_adjusted",
    "told",
)
"""Columns of many comparisons, one line each."""


def released(compared: Compared) -> Compared:
    """The same, where what may not be compared is said to be so and has no verdict."""
    pairs = [
        {**pair, "verdict": None, "comparable": NOT_COMPARABLE} if pair["fields"] else pair
        for pair in compared.pairs
    ]
    return Compared(pairs, compared.overall)


def lines(compared: Compared) -> Iterator[tuple[Any, ...]]:
    """Values of `COLUMNS` for each pair."""
    for pair in compared.pairs:
        said = {**pair, "verdict": pair["verdict"] or NOT_COMPARABLE, "told": _told(pair)}
        yield tuple(said[name] for name in COLUMNS)


def fields(pair: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Everything about one pair as (name, value) for people."""
    yield "verdict", pair["verdict"] or NOT_COMPARABLE
    yield "why", told_fields(pair) or pair["reason"]
    yield "ratio", _ratio(pair)
    yield "runs", f"{pair['n_a']} and {pair['n_b']}"
    yield "grade", pair["grade"]
    yield "medians", f"{_number(pair['median_a'])} and {_number(pair['median_b'])} {pair['metric']}"
    yield "goal", pair["goal"]
    yield "band", _percent(pair["delta"])
    yield "could have shown", _percent(pair["mde"])
    yield "runs needed", pair["runs_needed"]
    yield "stability", f"{pair['stability_a']} and {pair['stability_b']}"
    for name in ("host", "arch", "phase", "quant", "shape_bucket", "workload"):
        yield name, pair[name]
    for one in pair["changed"]:
        yield f"changed: {one['field']}", f"{one['a'] or 'unknown'} / {one['b'] or 'unknown'}"
    for remark in pair["remarks"]:
        yield "remark", remark
    for side in "ab":
        if pair[f"outliers_{side}"]:
            yield f"odd runs of {side.upper()}", pair[f"outliers_{side}"]


def explained(pair: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """How the verdict was reached, for `fields` to be followed by."""
    yield "runs of A", pair["samples_a"]
    yield "runs of B", pair["samples_b"]
    yield (
        "method",
        "mean of paired log ratios, t interval"
        if pair["grade"] == "interleaved"
        else "Hodges-Lehmann ratio, exact rank interval",
    )
    yield "s of logarithms", pair["s"]
    yield "A/A floor of s", pair["floor_s"]
    yield "permutation p", f"{_number(pair['p'])} (decides nothing)"


def _told(pair: dict[str, Any]) -> str:
    changed = ", ".join(one["field"] for one in pair["changed"])
    return told_fields(pair) or pair["reason"] or (f"changed: {changed}" if changed else "")


def _ratio(pair: dict[str, Any]) -> str | None:
    if pair["ratio"] is None:
        return None
    interval = f" [{pair['lo']:.4f}, {pair['hi']:.4f}]" if pair["lo"] is not None else ""
    return f"{pair['ratio']:.4f}{interval} (B/A, above 1 is better)"


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:.3g} %"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.6g}"
