import math
import statistics
from itertools import product
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

steady = settings(
    derandomize=True,
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
value = st.floats(min_value=1.0, max_value=1e4).map(lambda x: round(x, 2))
anything = st.one_of(st.none(), st.floats(), st.floats(min_value=1, max_value=2))
SLACK = 1e-9
STABILITY = (
    "series_stability(told.count, told.rel_spread, max_rel_spread := ?)"
    " FROM (SELECT series_summary(?::DOUBLE[]) AS told)"
)


def one(con: duckdb.DuckDBPyConnection, call: str, *arguments: Any) -> Any:
    return con.execute(f"SELECT {call}", list(arguments)).fetchall()[0][0]


def slow_hodges_lehmann(a: list[float], b: list[float], k: int | None) -> tuple[Any, Any, Any]:
    diffs = sorted(math.log(y) - math.log(x) for x, y in product(a, b))
    if k is None:
        return statistics.median(diffs), None, None
    return statistics.median(diffs), diffs[k - 1], diffs[-k]


HODGES = "hodges_lehmann(log_values(?::DOUBLE[]), log_values(?::DOUBLE[]))"
PAIRED = "paired_ratio(log_values(?::DOUBLE[]), log_values(?::DOUBLE[]), floor_s := ?)"


@steady
@given(a=st.lists(value, min_size=1, max_size=12), b=st.lists(value, min_size=1, max_size=12))
def test_hodges_lehmann_equals_the_slow_reference(
    macros: duckdb.DuckDBPyConnection, a: list[float], b: list[float]
) -> None:
    told = one(macros, HODGES, a, b)
    k = one(macros, "rank_bound(?, ?)", len(a), len(b))
    expected = slow_hodges_lehmann(a, b, k)
    for key, number in zip(("log_ratio", "log_lo", "log_hi"), expected, strict=True):
        assert told[key] == (None if number is None else pytest.approx(number, abs=SLACK))
    assert (told["n_a"], told["n_b"]) == (len(a), len(b))


def test_pooled_sd(macros: duckdb.DuckDBPyConnection) -> None:
    a, b = [10.0, 11.0, 12.0], [20.0, 25.0]
    va, vb = (statistics.variance(map(math.log, side)) for side in (a, b))
    assert one(macros, HODGES, a, b)["s"] == pytest.approx(math.sqrt((2 * va + vb) / 3))
    assert one(macros, HODGES, [10.0], b)["s"] == pytest.approx(math.sqrt(vb))
    assert one(macros, HODGES, [10.0], [10.0])["s"] is None


def test_intervals_beyond_the_table_are_narrower_than_the_data(
    macros: duckdb.DuckDBPyConnection,
) -> None:
    a = [100 + i / 100 for i in range(80)]
    b = [x * 1.02 for x in a]
    told = one(macros, HODGES, a, b)
    assert told["log_lo"] < math.log(1.02) < told["log_hi"]
    assert told["log_ratio"] == pytest.approx(math.log(1.02), abs=1e-6)
    assert told["log_hi"] - told["log_lo"] < 0.002


@steady
@given(pairs=st.lists(st.tuples(value, value), min_size=4, max_size=20))
def test_paired_interval_equals_scipy(
    macros: duckdb.DuckDBPyConnection, pairs: list[tuple[float, float]]
) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    diffs = [math.log(y) - math.log(x) for x, y in pairs]
    told = one(macros, PAIRED, a, b, None)
    sd = statistics.stdev(diffs)
    assert told["s"] == pytest.approx(sd, abs=SLACK)
    assert told["log_ratio"] == pytest.approx(statistics.fmean(diffs), abs=SLACK)
    if sd > 1e-6:
        lo, hi = stats.t.interval(
            0.95, len(diffs) - 1, loc=statistics.fmean(diffs), scale=stats.sem(diffs)
        )
        assert told["log_lo"] == pytest.approx(lo, abs=SLACK)
        assert told["log_hi"] == pytest.approx(hi, abs=SLACK)


def test_the_floor_widens_the_paired_interval(macros: duckdb.DuckDBPyConnection) -> None:
    a, b = [10.0, 10.1, 10.0, 10.1], [10.2, 10.3, 10.2, 10.3]
    bare, floored = one(macros, PAIRED, a, b, None), one(macros, PAIRED, a, b, 0.05)
    assert floored["s"] == 0.05
    assert floored["log_ratio"] == bare["log_ratio"]
    half = stats.t.ppf(0.975, 3) * 0.05 / 2
    assert floored["log_hi"] - floored["log_ratio"] == pytest.approx(half)
    assert one(macros, PAIRED, a, b, 1e-9) == bare
    assert one(macros, PAIRED, a, b, math.nan) == bare


def test_pairs_need_equal_counts_and_four_for_an_interval(
    macros: duckdb.DuckDBPyConnection,
) -> None:
    assert one(macros, PAIRED, [1.0, 2.0], [1.0], None)["log_ratio"] is None
    three = one(macros, PAIRED, [1.0, 2.0, 3.0], [2.0, 3.0, 4.0], None)
    assert three["log_ratio"] is not None
    assert three["log_lo"] is None


def test_blocks_are_means_of_logarithms(macros: duckdb.DuckDBPyConnection) -> None:
    call = "block_logs(log_values(?::DOUBLE[]), block := ?)"
    told = one(macros, call, [1.0, 4.0, 9.0, 1.0], 2)
    assert told == pytest.approx([math.log(2), math.log(3)])
    assert one(macros, call, [1.0, 4.0, 9.0], 2) is None
    assert one(macros, call, [1.0, 4.0, 9.0], 0) is None
    assert one(macros, call, [1.0, 1.0], 1) == [0.0, 0.0]


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 2), (4, 4), (5, 9), (150, 150)])
def test_smallest_effect(
    macros: duckdb.DuckDBPyConnection, n: int, m: int, *, paired: bool
) -> None:
    df = n - 1 if paired else n + m - 2
    told = one(macros, "smallest_effect(?, ?, ?, ?)", 0.02, n, m, paired)
    if df < 1:
        assert told is None
        return
    t = stats.t.ppf(0.975, df) + stats.t.ppf(0.8, df)
    if df > 200:
        t = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert told == pytest.approx(t * 0.02 * math.sqrt(1 / n if paired else 1 / n + 1 / m))


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("s", [0.0, 0.001, 0.004, 0.006, 0.0123, 0.03, 0.05, 0.07, 0.2])
def test_runs_needed_is_the_first_that_suffices(
    macros: duckdb.DuckDBPyConnection, s: float, *, paired: bool
) -> None:
    n = one(macros, "runs_needed(?, 0.01, ?)", s, paired)
    effect = "smallest_effect(?, ?, ?, ?)"
    assert n >= 4
    assert one(macros, effect, s, n, n, paired) <= 0.01
    if n > 4:
        assert one(macros, effect, s, n - 1, n - 1, paired) > 0.01


def test_runs_needed_without_an_answer(macros: duckdb.DuckDBPyConnection) -> None:
    for s, delta in [(None, 0.01), (0.01, 0.0), (0.01, -1.0), (math.nan, 0.01), (1e300, 1e-300)]:
        assert one(macros, "runs_needed(?, ?)", s, delta) is None


@steady
@given(values=st.lists(value, min_size=1, max_size=15))
def test_summary_equals_the_statistics_module(
    macros: duckdb.DuckDBPyConnection, values: list[float]
) -> None:
    told = one(macros, "series_summary(?::DOUBLE[])", values)
    median = statistics.median(values)
    assert told["count"] == len(values)
    assert told["median"] == pytest.approx(median)
    assert told["mean"] == pytest.approx(statistics.fmean(values))
    assert (told["min"], told["max"]) == (min(values), max(values))
    assert told["mad"] == pytest.approx(
        statistics.median(abs(x - median) for x in values), abs=SLACK
    )
    assert told["rel_spread"] == pytest.approx((max(values) - min(values)) / median)
    if len(values) > 1:
        assert told["stdev"] == pytest.approx(statistics.stdev(values), abs=1e-6)
    else:
        assert told["stdev"] is None


@pytest.mark.parametrize(
    ("values", "bound", "status"),
    [
        ([], 0.2, "unknown"),
        ([5.0], 0.2, "unknown"),
        ([100.0, 120.0], 0.2, "stable"),
        ([100.0, 100.0, 120.0], 0.2, "stable"),
        ([100.0, 100.0, 120.1], 0.2, "unstable"),
        ([100.0, 101.0], 0.001, "unstable"),
        ([-1.0, 1.0], 0.2, "unknown"),
    ],
)
def test_stability(
    macros: duckdb.DuckDBPyConnection, values: list[float], bound: float, status: str
) -> None:
    told = one(macros, STABILITY, bound, values)
    assert told["status"] == status
    assert told["max_rel_spread"] == bound


@pytest.mark.parametrize(
    ("values", "runs"),
    [
        ([], []),
        ([100.0, 100.1, 100.2, 100.1, 91.0], [5]),
        ([100.0, 100.0, 100.0, 101.9], []),  # beyond 3 MAD, within 2 % of the median
        ([100.0, 100.0, 100.0, 102.1], [4]),
        ([100.0, 90.0, 110.0, 103.0], []),  # beyond 2 %, within 3 MAD
        ([50.0, 100.0, 100.1, 99.9, 150.0], [1, 5]),
        ([1.0, 1.0, math.inf, 1.0], [3]),
    ],
)
def test_outliers_are_flagged_by_position(
    macros: duckdb.DuckDBPyConnection, values: list[float], runs: list[int]
) -> None:
    assert one(macros, "series_summary(?::DOUBLE[])", values)["outliers"] == runs


@steady
@given(values=st.lists(anything, max_size=6))
def test_logarithms_exist_for_all_values_or_for_none(
    macros: duckdb.DuckDBPyConnection, values: list[float | None]
) -> None:
    told = one(macros, "log_values(?::DOUBLE[])", values)
    good = bool(values) and all(x is not None and math.isfinite(x) and x > 0 for x in values)
    assert (told is not None) == good
    summary = one(macros, "series_summary(?::DOUBLE[])", values)
    assert summary["count"] == sum(x is not None and math.isfinite(x) for x in values)
    assert one(macros, STABILITY, 0.2, values)["status"] in {"stable", "unstable", "unknown"}
