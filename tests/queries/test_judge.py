import json
import math
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

VERDICTS = {
    "incomparable",
    "identical_binary",
    "incorrect",
    "unstable",
    "insufficient",
    "faster",
    "slower",
    "faster_small",
    "slower_small",
    "same",
    "inconclusive",
}
A = [129.8, 129.2, 129.4, 129.1]
B = [132.9, 132.7, 131.7, 132.0]
WILD = [100.0, 130.0, 100.0, 100.0]
anything = st.one_of(st.none(), st.floats(), st.sampled_from([0.0, -1.0, 1.0, 1.01, 1e308, 5e-324]))


def judge(con: duckdb.DuckDBPyConnection, a: Any, b: Any, **options: Any) -> dict[str, Any]:
    named = "".join(f", {name} := ${name}" for name in options)
    query = f"SELECT judge($a::DOUBLE[], $b::DOUBLE[]{named})"
    told = con.execute(query, {"a": a, "b": b, **options}).fetchall()[0][0]
    assert isinstance(told, dict)
    return told


def test_the_worked_example(macros: duckdb.DuckDBPyConnection) -> None:
    told = judge(macros, A, B)
    assert told["verdict"] == "faster"
    assert told["reason"] is None
    assert told["ratio"] == pytest.approx(1.0224026, abs=1e-6)
    # four a side: the extreme pairwise ratios
    assert told["lo"] == pytest.approx(131.7 / 129.8)
    assert told["hi"] == pytest.approx(132.9 / 129.1)
    assert (told["n_a"], told["n_b"], told["delta"]) == (4, 4, 0.01)
    assert told["runs_needed"] == 4
    assert told["mde"] == pytest.approx(0.0082363, abs=1e-6)
    assert told["stability_a"] == told["stability_b"] == "stable"


def test_minimize_inverts_ratio_and_interval(macros: duckdb.DuckDBPyConnection) -> None:
    up, down = judge(macros, A, B), judge(macros, A, B, goal="minimize")
    assert down["verdict"] == "slower"
    assert down["ratio"] == pytest.approx(1 / up["ratio"])
    assert (down["lo"], down["hi"]) == pytest.approx((1 / up["hi"], 1 / up["lo"]))
    assert judge(macros, B, A, goal="minimize")["verdict"] == "faster"


@pytest.mark.parametrize(
    ("a", "b", "options", "verdict", "reason"),
    [
        (
            A,
            B,
            {"incomparable": ["arch", "kv mode"], "identical": True},
            "incomparable",
            "arch, kv",
        ),
        (A, B, {"identical": True, "incorrect": True}, "identical_binary", "are equal"),
        (A, WILD, {"incorrect": True}, "incorrect", "correctness"),
        (WILD, A, {"weak": True}, "unstable", "spread 0.30 and 0.01"),
        (A, WILD[:3], {}, "unstable", "bound 0.20"),
        (A, WILD, {"max_rel_spread": 0.31}, "inconclusive", None),
        (A[:3], B, {}, "insufficient", "3 and 4 runs, at least 4 a side"),
        (A[:1], B[:1], {}, "insufficient", "1 and 1 runs"),
        (A, B, {"weak": True}, "insufficient", "weak"),
        (A[:3], B[:3], {"paired": True}, "insufficient", "3 pairs, at least 4"),
        (A[:3], B, {"paired": True}, "insufficient", "3 and 4 runs do not make whole pairs"),
        (A, B, {"paired": True, "block": 2}, "insufficient", "2 pairs"),
        (A, [], {}, "insufficient", "no runs"),
        (None, B, {}, "insufficient", "no runs"),
        (A, B, {"goal": "minimise"}, "insufficient", "goal"),
        (A, [1.0, 0.0, 1.0, 1.0], {}, "insufficient", "not above 0"),
        (A, [1.0, math.nan, 1.0, 1.0], {}, "insufficient", "not finite"),
        (A, B, {}, "faster", None),
        (B, A, {}, "slower", None),
        (A, B, {"paired": True}, "faster", None),
        (A, B, {"goal": None}, "faster", None),
        (A, B, {"delta": 0.02}, "faster_small", None),
        (B, A, {"delta": 0.02}, "slower_small", None),
        (A, A, {}, "same", None),
        (A, A, {"delta": 0.001}, "inconclusive", "runs a side would settle 0.1 %"),
        (A, A, {"paired": True}, "same", None),
        (A, A, {"paired": True, "floor_s": 0.05}, "inconclusive", "pairs would settle 1 %"),
    ],
)
def test_every_rung(
    macros: duckdb.DuckDBPyConnection,
    a: Any,
    b: Any,
    options: dict[str, Any],
    verdict: str,
    reason: str | None,
) -> None:
    told = judge(macros, a, b, **options)
    assert told["verdict"] == verdict
    if reason is None:
        assert told["reason"] is None or verdict == "inconclusive"
    else:
        assert reason in told["reason"]


@pytest.mark.parametrize(
    ("lo", "hi", "verdict"),
    [
        (0.02, 0.03, "faster"),
        (-0.03, -0.02, "slower"),
        (math.log(1.01), 0.03, "faster_small"),  # beyond the band means beyond its edge
        (-0.03, -math.log(1.01), "slower_small"),
        (0.001, 0.002, "faster_small"),  # inside the band, but it excludes 1
        (-0.002, -0.001, "slower_small"),
        (0.0, 0.005, "same"),
        (-0.005, 0.005, "same"),
        (-math.log(1.01), math.log(1.01), "same"),
        (-0.02, 0.005, "inconclusive"),
        (-0.005, 0.02, "inconclusive"),
        (None, None, "insufficient"),
    ],
)
def test_the_interval_decides(
    macros: duckdb.DuckDBPyConnection, lo: float | None, hi: float | None, verdict: str
) -> None:
    assert macros.execute("SELECT verdict_of(?, ?)", [lo, hi]).fetchall() == [(verdict,)]


def test_no_ratio_where_nothing_may_be_compared(macros: duckdb.DuckDBPyConnection) -> None:
    told = judge(macros, A, B, incomparable=["arch"])
    for key in ("ratio", "lo", "hi", "mde", "s", "runs_needed"):
        assert told[key] is None
    assert told["incomparable"] == ["arch"]
    assert (told["median_a"], told["median_b"]) == pytest.approx((129.3, 132.35))
    assert judge(macros, A, B, incomparable=[])["verdict"] == "faster"


def test_no_interval_below_four_runs_but_a_ratio(macros: duckdb.DuckDBPyConnection) -> None:
    told = judge(macros, A[:3], B[:3])
    assert told["ratio"] == pytest.approx(1.0224, abs=0.01)
    assert told["lo"] is None
    assert told["hi"] is None
    assert told["mde"] is not None


def test_the_noise_floor_raises_mde_and_runs_but_not_the_rank_interval(
    macros: duckdb.DuckDBPyConnection,
) -> None:
    bare, floored = judge(macros, A, B), judge(macros, A, B, floor_s=0.02)
    assert floored["s"] == 0.02
    assert floored["mde"] > bare["mde"]
    assert floored["runs_needed"] > bare["runs_needed"]
    assert (floored["lo"], floored["hi"]) == (bare["lo"], bare["hi"])
    assert judge(macros, A, B, floor_s=0.0001) == bare


def test_abba_blocks_are_the_unit(macros: duckdb.DuckDBPyConnection) -> None:
    told = judge(macros, A + A, B + B, paired=True, block=2)
    by_hand = judge(
        macros,
        [math.sqrt(x * y) for x, y in zip(A[::2] * 2, A[1::2] * 2, strict=True)],
        [math.sqrt(x * y) for x, y in zip(B[::2] * 2, B[1::2] * 2, strict=True)],
        paired=True,
    )
    for key in ("ratio", "lo", "hi", "s", "mde"):
        assert told[key] == pytest.approx(by_hand[key])
    assert told["n_a"] == 8
    assert told["verdict"] == by_hand["verdict"] == "faster"


def test_outliers_are_flagged_and_kept(macros: duckdb.DuckDBPyConnection) -> None:
    told = judge(macros, [*A, 110.0], B)
    assert told["outliers_a"] == [5]
    assert told["outliers_b"] == []
    assert told["n_a"] == 5


def test_a_pinned_pair_of_ten(macros: duckdb.DuckDBPyConnection) -> None:
    a = [100 + x / 10 for x in range(10)]
    b = [100.5 + x / 10 for x in range(10)]
    told = judge(macros, a, b)
    ratios = sorted(y / x for x in a for y in b)
    assert (told["lo"], told["hi"]) == pytest.approx((ratios[23], ratios[-24]))


@settings(
    derandomize=True,
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    a=st.lists(anything, max_size=6),
    b=st.lists(anything, max_size=6),
    delta=st.one_of(st.none(), st.floats()),
    floor_s=st.one_of(st.none(), st.floats()),
    paired=st.sampled_from([None, False, True]),
    block=st.sampled_from([None, -1, 0, 1, 2]),
)
def test_no_numbers_raise(
    macros: duckdb.DuckDBPyConnection,
    a: list[float | None],
    b: list[float | None],
    delta: float | None,
    floor_s: float | None,
    *,
    paired: bool | None,
    block: int | None,
) -> None:
    options = {"delta": delta, "floor_s": floor_s, "paired": paired, "block": block}
    told = judge(macros, a, b, **options)
    assert told["verdict"] in VERDICTS
    bad = [x for x in a + b if x is None or not math.isfinite(x) or x <= 0]
    if bad or not a or not b:
        assert told["verdict"] in {"insufficient", "unstable"}
        assert told["ratio"] is None


def test_swapping_sides_swaps_the_verdict(macros: duckdb.DuckDBPyConnection) -> None:
    mirror = {"faster": "slower", "faster_small": "slower_small", "same": "same"}
    for options in ({}, {"delta": 0.02}, {"delta": 0.1}, {"paired": True}):
        there, back = judge(macros, A, B, **options), judge(macros, B, A, **options)
        assert back["verdict"] == mirror[there["verdict"]]
        assert back["ratio"] == pytest.approx(1 / there["ratio"])


def test_columns_of_a_table_are_judged_row_by_row(macros: duckdb.DuckDBPyConnection) -> None:
    names = ["verdict", "ratio", "lo", "hi"]
    rows = macros.execute(
        "SELECT n, told.verdict, told.ratio, told.lo, told.hi FROM ("
        "  SELECT n, judge(a, b, delta := d, paired := p) AS told FROM (VALUES"
        "    (1, $a::DOUBLE[], $b::DOUBLE[], 0.01, FALSE), (2, $b, $a, 0.02, FALSE),"
        "    (3, $a, $b, 0.01, TRUE), (4, NULL, $b, 0.01, FALSE), (5, $a, $b, 0.01, FALSE)"
        "  ) AS pair (n, a, b, d, p)) ORDER BY n",
        {"a": A, "b": B},
    ).fetchall()
    expected = [
        judge(macros, A, B),
        judge(macros, B, A, delta=0.02),
        judge(macros, A, B, paired=True),
        judge(macros, None, B),
        judge(macros, A, B),
    ]
    assert rows == [
        (n, *(told[name] for name in names)) for n, told in enumerate(expected, start=1)
    ]


def test_columns_named_like_parameters_do_no_harm(macros: duckdb.DuckDBPyConnection) -> None:
    rows = macros.execute(
        "SELECT judge(candidate, base, delta := s).verdict FROM ("
        "  SELECT $b::DOUBLE[] AS base, $a::DOUBLE[] AS candidate, 0.02 AS s, 5 AS k, 6 AS df)",
        {"a": A, "b": B},
    ).fetchall()
    assert rows == [("faster_small",)]


def test_a_verdict_survives_json(macros: duckdb.DuckDBPyConnection) -> None:
    for a, b in [(A, B), (A, []), (A, [math.inf, 1.0])]:
        json.dumps(judge(macros, a, b), allow_nan=False)


@pytest.mark.parametrize(
    ("flags", "grade"),
    [
        ((True, True, True), "interleaved"),
        ((False, True, True), "one session"),
        ((None, True, True), "one session"),
        ((False, False, True), "sessions"),
        ((True, None, True), "sessions"),
        ((False, False, False), "hosts"),
        ((False, True, None), "hosts"),
    ],
)
def test_grades(
    macros: duckdb.DuckDBPyConnection, flags: tuple[bool | None, ...], grade: str
) -> None:
    assert macros.execute("SELECT evidence_grade(?, ?, ?)", list(flags)).fetchall() == [(grade,)]
