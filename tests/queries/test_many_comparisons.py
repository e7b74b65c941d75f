import math
from itertools import combinations, product
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
P = "permutation_p(log_values(?::DOUBLE[]), log_values(?::DOUBLE[]), paired := ?, seed := ?)"


def one(con: duckdb.DuckDBPyConnection, call: str, *arguments: Any) -> Any:
    return con.execute(f"SELECT {call}", list(arguments)).fetchall()[0][0]


def exact_label_p(a: list[float], b: list[float]) -> float:
    pool = [math.log(x) for x in a + b]
    centre = sum(pool) / len(pool)
    seen = abs(sum(pool[: len(a)]) - len(a) * centre)
    sums = [abs(sum(part) - len(a) * centre) for part in combinations(pool, len(a))]
    return sum(x >= seen - 1e-12 for x in sums) / len(sums)


def exact_sign_p(a: list[float], b: list[float]) -> float:
    diffs = [math.log(y) - math.log(x) for x, y in zip(a, b, strict=True)]
    sums = [
        abs(sum(s * d for s, d in zip(signs, diffs, strict=True)))
        for signs in product((1, -1), repeat=len(diffs))
    ]
    return sum(x >= abs(sum(diffs)) - 1e-12 for x in sums) / len(sums)


SERIES = [
    ([129.8, 129.2, 129.4, 129.1], [132.9, 132.7, 131.7, 132.0]),
    ([10.0, 10.1, 10.2, 10.1, 10.0], [10.1, 10.2, 10.2, 10.1, 10.3]),
    ([174.0, 174.6, 175.3, 176.1, 175.3, 174.6], [174.7, 175.1, 175.3, 176.9, 175.0, 175.1]),
]


@pytest.mark.parametrize(("a", "b"), SERIES)
def test_permutation_p_approaches_the_exact_one(
    macros: duckdb.DuckDBPyConnection, a: list[float], b: list[float]
) -> None:
    for paired, exact in ((False, exact_label_p(a, b)), (True, exact_sign_p(a, b))):
        noise = 5 * math.sqrt(exact * (1 - exact) / 2000) + 1 / 2000
        for seed in (1, 2, 65535):
            assert one(macros, P, a, b, paired, seed) == pytest.approx(exact, abs=noise)


def test_permutation_p_is_pinned(macros: duckdb.DuckDBPyConnection) -> None:
    assert one(macros, P, *SERIES[0], False, 1) == 64 / 2001
    assert one(macros, P, *SERIES[0], True, 1) == 250 / 2001


def test_permutation_p_of_equal_or_missing_series(macros: duckdb.DuckDBPyConnection) -> None:
    a = SERIES[0][0]
    for paired in (False, True):
        assert one(macros, P, a, a, paired, 1) == 1.0
        assert one(macros, P, a, [], paired, 1) is None
        assert one(macros, P, None, a, paired, 1) is None
        assert one(macros, P, a, [0.0], paired, 1) is None
    assert one(macros, P, a, a[:3], True, 1) is None


def test_permutation_p_works_over_columns(macros: duckdb.DuckDBPyConnection) -> None:
    rows = macros.execute(
        "SELECT permutation_p(log_values(a), log_values(b)) FROM"
        " (SELECT unnest([1, 2]) AS i, $1::DOUBLE[] AS a, $2::DOUBLE[] AS b) ORDER BY i",
        list(SERIES[0]),
    ).fetchall()
    assert rows == [(64 / 2001,), (64 / 2001,)]


@steady
@given(ps=st.lists(st.floats(min_value=0, max_value=1), min_size=1, max_size=30))
def test_benjamini_hochberg_equals_scipy(
    macros: duckdb.DuckDBPyConnection, ps: list[float]
) -> None:
    told = one(macros, "benjamini_hochberg(?::DOUBLE[])", ps)
    assert told == pytest.approx(list(stats.false_discovery_control(ps)))


def test_missing_p_stay_missing_and_are_not_counted(macros: duckdb.DuckDBPyConnection) -> None:
    told = one(macros, "benjamini_hochberg(?::DOUBLE[])", [0.01, None, 0.04, 0.03])
    assert told == [pytest.approx(0.03), None, pytest.approx(0.04), pytest.approx(0.04)]


def test_benjamini_hochberg_per_group(macros: duckdb.DuckDBPyConnection) -> None:
    rows = macros.execute(
        "SELECT g, benjamini_hochberg(ps) FROM"
        " (VALUES (1, [0.01, 0.04]), (2, [0.5, 0.001, 0.6])) AS family (g, ps) ORDER BY g"
    ).fetchall()
    assert rows == [(1, pytest.approx([0.02, 0.04])), (2, pytest.approx([0.6, 0.003, 0.6]))]


@steady
@given(ratios=st.lists(st.floats(min_value=0.01, max_value=100), min_size=1, max_size=20))
def test_geometric_mean_equals_scipy(
    macros: duckdb.DuckDBPyConnection, ratios: list[float]
) -> None:
    told = one(macros, "geometric_mean(?::DOUBLE[])", ratios)
    assert told == {
        "ratio": pytest.approx(stats.gmean(ratios)),
        "n": len(ratios),
        "left_out": 0,
    }


def test_geometric_mean_counts_what_it_leaves_out(macros: duckdb.DuckDBPyConnection) -> None:
    told = one(macros, "geometric_mean(?::DOUBLE[])", [2.0, None, 8.0, 0.0, math.inf])
    assert told == {"ratio": pytest.approx(4.0), "n": 2, "left_out": 3}
    for nothing in ([], [None], None):
        assert one(macros, "geometric_mean(?::DOUBLE[])", nothing)["ratio"] is None
