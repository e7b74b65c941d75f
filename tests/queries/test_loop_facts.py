"""Facts and views of the experiment loop: documents of older tools, copies, hostile payloads."""

from __future__ import annotations

from typing import Any

from atlas.ask import ask
from ledger.envelope import Draft
from ledger.passing import passing
from queries.catalog import Catalog

CATALOG = Catalog()
RESULT: dict[str, Any] = {
    "schema": "hipfire.kernel_atlas.eval.v0",
    "task_id": "t",
    "captured_at_utc": "2026-01-01T00:00:00Z",
    "status": "pass",
    "metric": "gen_tok_s",
    "metrics": {"gen_tok_s": 44.0},
    "summary": {"gen_tok_s": {"count": 3, "median": 44.0, "rel_spread": 0.02}},
    "stability": {"status": "stable", "max_rel_spread": 0.2, "rel_spread": 0.02},
    "baseline": {"source": "task", "metrics": {"gen_tok_s": 40.0}},
    "delta": {"speedup": 1.1},
    "correctness": [{"command": "true", "returncode": 0}],
    "benchmark_runs": [{"metrics": {"gen_tok_s": 43.9}}, {"metrics": {"gen_tok_s": 44.0}}],
    "provenance": {"git_sha": "abc1234", "git_dirty": True, "diff_md5": "d" * 32},
}
LINE = {
    "task_id": "t",
    "captured_at_utc": "2026-01-01T00:00:00Z",
    "status": "pass",
    "metric": "gen_tok_s",
    "metrics": {"gen_tok_s": 44.0},
    "baseline_source": "task",
    "speedup": 1.1,
}
TASK = {
    "schema": "hipfire.kernel_atlas.task.v0",
    "task_id": "t",
    "target": {"arch": "gfx1100", "phase": "decode_ar", "quant": "mq4"},
    "hot_kernel": {"name": "gemv"},
    "experiment": {"lever_type": "fusion"},
    "producer": {"suggestion": {"history_key": "hist-1", "id": "sug-1"}},
}


def source(ordinal: int) -> dict[str, Any]:
    return {"file_sha256": "0" * 64, "ordinal": ordinal, "adapter": "x", "adapter_version": 1}


def imported(kind: str, document: Any, ordinal: int = 0) -> Draft:
    return Draft(kind, {"source": source(ordinal), "document": document})


def test_a_result_and_its_line_are_one_eval_with_what_the_task_tells() -> None:
    drafts = [imported("eval", LINE, 1), imported("eval", RESULT, 2), imported("task", TASK, 3)]
    with passing(CATALOG, drafts) as reader:
        (one,) = ask(reader, CATALOG, "evals").dicts()
    assert (one["samples"], one["runs"], one["speedup"]) == ([43.9, 44.0], 3, 1.1)
    assert (one["arch"], one["kernel"], one["lever"]) == ("gfx1100", "gemv", "fusion")
    assert (one["history_key"], one["correct"], one["git_state"]) == ("hist-1", True, "dirty")
    assert (one["verdict"], one["goal"], one["baseline_value"]) == (None, "maximize", 40.0)


def test_a_line_alone_is_an_eval() -> None:
    with passing(CATALOG, [imported("eval", LINE)]) as reader:
        (one,) = ask(reader, CATALOG, "evals").dicts()
    assert (one["value"], one["baseline_source"], one["samples"]) == (44.0, "task", [])


def test_an_older_graph_ab_tells_its_lift() -> None:
    document = {
        "schema": "hipfire.kernel_atlas.graph_ab.v0",
        "captured_at_utc": "2026-01-01T00:00:00Z",
        "status": "pass",
        "metric": "gen_tok_s",
        "target": {"host": "hippo", "arch": "gfx1100"},
        "delta": {"graph_off": 40.0, "graph_on": 44.0, "lift": 1.1},
    }
    with passing(CATALOG, [imported("ab", document)]) as reader:
        (one,) = ask(reader, CATALOG, "ab_runs").dicts()
    assert (one["value_a"], one["value_b"], one["lift"]) == (40.0, 44.0, 1.1)
    assert (one["host"], one["factor"], one["is_graph"]) == ("hippo", "env:HIPFIRE_GRAPH", True)


HOSTILE: tuple[dict[str, Any], ...] = (
    {},
    {"document": 5},
    {"document": []},
    {"document": {"task_id": 7, "metric": [], "metrics": "x", "samples": {"a": 1}}},
    {"document": {"task_id": "t", "metric": "m", "metrics": {"m": "NaN"}, "side": 3}},
    {"document": {"task_id": "t", "metric": "m", "captured_at_utc": "soon", "verdict": "x"}},
    {"document": {"task_id": "t", "metric": "m", "samples": ["Infinity", None, "x"]}},
    {"experiment": {"id": "e"}, "run": {"index": "x", "value": "nan", "env": [1]}},
    {"runs": 4, "document": {"task_id": "'; DROP TABLE events", "metric": "m", "sides": 1}},
)
VIEWS = ("tasks", "evals", "ab_runs", "task_baselines", "aa_noise", "loop_events")


def test_no_payload_makes_a_fact_fail() -> None:
    kinds = ("task", "eval_run", "eval", "baseline", "ab")
    drafts = [Draft(kind, payload) for kind in kinds for payload in HOSTILE]
    with passing(CATALOG, drafts) as reader:
        assert reader.connection.execute("FROM facts_failed").fetchall() == []
        counts = {view: len(ask(reader, CATALOG, view).rows) for view in VIEWS}
    assert counts["tasks"] == 3
    assert counts["evals"] > 0


def test_headers_name_the_columns() -> None:
    facts = ("task_cut", "eval_run", "eval_result", "baseline_made", "ab_run")
    with passing(CATALOG, []) as reader:
        for name in (*VIEWS, "tried", "best_config", "noise_floor"):
            query = CATALOG.find("views", name) or CATALOG.find("shortcuts", name)
            assert query is not None
            told = tuple(column for column, _ in query.header.columns)
            assert ask(reader, CATALOG, name).columns == told, name
        for name in facts:
            described = reader.connection.execute(f"DESCRIBE {name}").fetchall()
            columns = CATALOG.queries["facts"][name].header.columns
            assert [row[0] for row in described] == [column for column, _ in columns], name
