"""Judging series of runs that are at hand: the verdict macros in an in-memory database.

The rules live in the SQL macro ``judge`` alone, which the views of a ledger call too; this module
only hands it numbers.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from queries.catalog import Catalog

FLAGS = frozenset(
    {
        "goal",
        "delta",
        "paired",
        "block",
        "floor_s",
        "max_rel_spread",
        "incomparable",
        "identical",
        "incorrect",
        "weak",
    }
)
"""The named arguments of the macro; absent or None means its default."""


def judge(base: Sequence[float], candidate: Sequence[float], **flags: Any) -> dict[str, Any]:
    """Compare two series of runs, one value per process.

    Args:
        base: the baseline's values, in the metric's unit and the order they ran.
        candidate: the candidate's; with ``paired`` as many as the base.
        flags: arguments of the macro ``judge`` by name, see `FLAGS`.

    Returns:
        The macro's answer: ``verdict, reason, ratio, lo, hi, n_a, n_b, delta, mde, runs_needed, s,
        paired, median_a, median_b, rel_spread_a, rel_spread_b, stability_a, stability_b,
        outliers_a, outliers_b, incomparable``; above 1 is better, intervals hold 95 %.

    Raises:
        TypeError: a flag that the macro doesn't know.
    """
    return judge_all([{"base": base, "candidate": candidate, **flags}])[0]


def judge_all(pairs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Compare many pairs of series in one statement.

    Args:
        pairs: mappings with ``base`` and ``candidate`` and any of `FLAGS`.

    Returns:
        One answer a pair, in their order, each as `judge` gives it.

    Raises:
        TypeError: a flag that the macro doesn't know.
    """
    return [told for _, told in ask_macros("judged", pairs=[_plain(pair) for pair in pairs])]


def ask_macros(name: str, **values: Any) -> list[tuple[Any, ...]]:
    """Rows of a call (a statement of the catalog over macros alone), its arguments as JSON text."""
    import orjson

    bound = {key: orjson.dumps(value).decode() for key, value in values.items()}
    return _database().execute(_catalog().queries["calls"][name].sql, bound).fetchall()


def _plain(pair: Mapping[str, Any]) -> dict[str, Any]:
    unknown = sorted(pair.keys() - FLAGS - {"base", "candidate"})
    if unknown:
        raise TypeError(f"judge() knows no {', '.join(unknown)}; it takes {', '.join(FLAGS)}")
    return {
        **pair,
        "base": [_number(value) for value in pair["base"] or ()],
        "candidate": [_number(value) for value in pair["candidate"] or ()],
    }


def _number(value: float | None) -> float | None:
    """JSON has no number that is not finite: to the macro such a run is missing all the same."""
    return float(value) if value is not None and math.isfinite(value) else None


@functools.cache
def _catalog() -> Catalog:
    from queries.catalog import Catalog

    return Catalog()


@functools.cache
def _database() -> duckdb.DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    _catalog().define(connection, temporary=False, folders=("reference", "macros"))
    return connection
