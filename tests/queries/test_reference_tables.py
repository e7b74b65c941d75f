import csv
import math
from pathlib import Path

import duckdb
import pytest
from scipy import stats

REFERENCE = Path(__file__).resolve().parents[2] / "queries" / "reference"
PRINTED = {4: 1, 5: 3, 6: 6, 7: 9, 8: 14, 9: 18, 10: 24, 12: 38}


def samples_with_u(n: int, m: int, u: int) -> tuple[list[float], list[float]]:
    """Two series without ties where u pairs have the first value above the second."""
    full, rest = divmod(u, m)
    above = [m] * full + [rest] * (full < n) + [0] * (n - full - 1)
    return [count + 0.5 + i / 1000 for i, count in enumerate(above)], list(
        map(float, range(1, m + 1))
    )


def two_sided_p(n: int, m: int, u: int) -> float:
    x, y = samples_with_u(n, m, u)
    return float(stats.mannwhitneyu(x, y, method="exact").pvalue)


def rank_table(con: duckdb.DuckDBPyConnection) -> dict[tuple[int, int], int | None]:
    return {(n, m): k for n, m, k in con.execute("SELECT n, m, k FROM rank_interval").fetchall()}


def test_t_quantiles_equal_scipy(macros: duckdb.DuckDBPyConnection) -> None:
    rows = macros.execute("SELECT df, t975, t80 FROM t_quantile ORDER BY df").fetchall()
    assert [row[0] for row in rows] == list(range(1, 201))
    for df, t975, t80 in rows:
        assert t975 == pytest.approx(stats.t.ppf(0.975, df), rel=1e-12)
        assert t80 == pytest.approx(stats.t.ppf(0.8, df), rel=1e-12)


def test_beyond_the_table_the_normal_quantiles_are_used(macros: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT told.t975, told.t80 FROM (SELECT student_t(?) AS told)"
    t975, t80 = macros.execute(query, [201]).fetchall()[0]
    assert t975 == pytest.approx(stats.norm.ppf(0.975), rel=1e-12)
    assert t80 == pytest.approx(stats.norm.ppf(0.8), rel=1e-12)
    assert macros.execute(query, [0]).fetchall() == [(None, None)]


def test_rank_table_covers_all_pairs_and_is_symmetric(macros: duckdb.DuckDBPyConnection) -> None:
    table = rank_table(macros)
    assert set(table) == {(n, m) for n in range(1, 65) for m in range(1, 65)}
    assert all(table[n, m] == table[m, n] for n, m in table)
    assert all((k is None) == (min(pair) < 4) for pair, k in table.items())
    assert {n: table[n, n] for n in PRINTED} == PRINTED


@pytest.mark.parametrize(
    ("n", "m"), [(n, m) for n in range(4, 11) for m in range(n, 11)] + [(4, 64), (20, 33), (64, 64)]
)
def test_rank_bound_is_the_last_that_keeps_95_percent(
    macros: duckdb.DuckDBPyConnection, n: int, m: int
) -> None:
    k = rank_table(macros)[n, m]
    assert k is not None
    assert two_sided_p(n, m, k - 1) <= 0.05 < two_sided_p(n, m, k)


@pytest.mark.parametrize(("n", "m"), [(65, 65), (64, 100), (200, 70)])
def test_beyond_the_table_ranks_follow_the_normal_approximation(
    macros: duckdb.DuckDBPyConnection, n: int, m: int
) -> None:
    k = macros.execute("SELECT rank_bound(?, ?)", [n, m]).fetchall()[0][0]
    sd = math.sqrt(n * m * (n + m + 1) / 12)
    assert stats.norm.cdf((k - 0.5 - n * m / 2) / sd) <= 0.025
    assert stats.norm.cdf((k + 0.5 - n * m / 2) / sd) > 0.025


def test_no_rank_bound_below_four_a_side(macros: duckdb.DuckDBPyConnection) -> None:
    assert macros.execute("SELECT rank_bound(3, 100), rank_bound(100, 3)").fetchall() == [
        (None, None)
    ]


def test_tables_are_what_the_tool_makes() -> None:
    from importlib.util import module_from_spec, spec_from_file_location

    path = REFERENCE.parents[1] / "tools" / "stat_tables.py"
    spec = spec_from_file_location("stat_tables", path)
    assert spec is not None
    assert spec.loader is not None
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert (REFERENCE / "t_quantile.csv").read_text().splitlines() == list(tool.t_rows())
    with (REFERENCE / "rank_interval.csv").open(newline="") as file:
        kept = {(int(n), int(m)): k for n, m, k in list(csv.reader(file))[1:]}
    for pair in [(3, 9), (4, 4), (7, 11), (16, 16), (24, 40)]:
        k = tool.rank_position(*pair)
        assert kept[pair] == ("" if k is None else str(k))


def test_every_arch_quant_and_op_rule_is_unique(macros: duckdb.DuckDBPyConnection) -> None:
    for table, key in [
        ("arch_capability", "arch"),
        ("quant_profile", "prefix"),
        ("op_rule", "ordinal"),
        ("op_rule", "(part, also)"),
        ("metric_rule", "pattern"),
    ]:
        total, distinct = macros.execute(
            f"SELECT count(*), count(DISTINCT {key}) FROM {table}"
        ).fetchall()[0]
        assert 0 < total == distinct, (table, key)


@pytest.mark.parametrize(
    ("arch", "expected"),
    [
        ("gfx1010", (False, "32/64")),
        ("gfx1151", (True, "32")),
        ("gfx906", (False, "64")),
        ("gfx942", (True, "64")),
    ],
)
def test_capabilities(
    macros: duckdb.DuckDBPyConnection, arch: str, expected: tuple[bool, str]
) -> None:
    query = "SELECT has_matrix_unit, wavefront FROM arch_capability WHERE arch = ?"
    assert macros.execute(query, [arch]).fetchall() == [expected]


def test_unknown_arch_has_no_capability(macros: duckdb.DuckDBPyConnection) -> None:
    assert macros.execute("SELECT * FROM arch_capability WHERE arch = 'gfx9999'").fetchall() == []


@pytest.mark.parametrize(
    ("quant", "expected"),
    [
        ("mq4", ("medium", "low", False)),
        ("MQ4G256", ("medium", "low", False)),
        ("hfp4", ("medium", "low/medium", True)),
        ("hfq3g128", ("high", "medium/high", True)),
        ("q8_0", ("low", "low", False)),
        ("paro4", ("medium", "high", True)),
        ("bf16", ("unknown", "unknown", None)),
        (None, ("unknown", "unknown", None)),
    ],
)
def test_quant_profiles(
    macros: duckdb.DuckDBPyConnection, quant: str | None, expected: tuple[str, str, bool | None]
) -> None:
    query = "SELECT q.bytes_saved, q.unpack_tax, q.taxed FROM (SELECT quant_profile_of(?) AS q)"
    assert macros.execute(query, [quant]).fetchall() == [expected]


@pytest.mark.parametrize(
    ("metric", "goal"),
    [
        ("gen_tok_s", "maximize"),
        ("tau", "maximize"),
        ("p50_ms", "minimize"),
        ("TTFT_MS", "minimize"),
        ("kernel_us", "minimize"),
        ("prefill_secs", "minimize"),
        ("elapsed_s", "minimize"),
        ("items", "maximize"),
        (None, "maximize"),
    ],
)
def test_metric_rules(macros: duckdb.DuckDBPyConnection, metric: str | None, goal: str) -> None:
    query = "SELECT r.goal, r.delta FROM (SELECT metric_rule_of(?) AS r)"
    assert macros.execute(query, [metric]).fetchall() == [(goal, 0.01)]
