import hashlib
from typing import Any

import pytest
from support.hot_row import LOST, NORM, QKV, RESIDUAL, hot_row, kernel
from support.tries import TARGET, graph_ab, result

from atlas.ask import ask
from ledger.envelope import Draft
from ledger.passing import passing
from queries.catalog import Catalog

DISPATCH_RS = "crates/rdna-compute/src/dispatch.rs"
CALM = {"rocprof_coverage_pct": 80.0, "gen_tokens": 50.0}
LEVER = "register_pressure"
UNSTABLE = {"status": "unstable"}
BARE = {"samples": [], "baseline": {}}
Found = dict[str, list[dict[str, Any]]]

# Each case is a row of its own workload.
ROWS: dict[str, dict[str, Any]] = {
    "plain": {},
    "shifted": {
        "profile_kernels": [
            kernel(RESIDUAL, 47),
            kernel(QKV, 25),
            kernel(NORM, 15),
            kernel(LOST, 5),
        ]
    },
    "prefill": {"phase": "prefill"},
    "older card": {"arch": "gfx1100"},
    "covered": {"metrics": {"rocprof_coverage_pct": 90.0}},
    "uncovered": {"metrics": {"rocprof_coverage_pct": 74.9}},
    "with graph": {"env": {"HIPFIRE_GRAPH": "1"}},
    "lost only": {"profile_kernels": [kernel(LOST, 4.0)]},
    "paro": {"profile_kernels": [kernel("gemv_paro4g128_a", 30), kernel("gemv_paro4g128_b", 18)]},
    "less paro": {
        "profile_kernels": [kernel("gemv_paro4g128_a", 20), kernel("gemv_paro4g128_b", 14.9)]
    },
    "no objects": {"artifacts": {}},
    "partial": {"status": "partial"},
    "calm": {"metrics": CALM},
    "calm and known": {"metrics": CALM},
    "busy and known": {},
}


def tried(name: str, lever: str | None, verdict: str | None, ratio: float, /, **more: Any) -> Draft:
    case, _, place = name.partition("#")
    told = {"verdict": verdict, "ratio": ratio} if verdict else None
    target = {**TARGET, "arch": "gfx1201", "workload": case, **more.pop("target", {})}
    return result(
        name,
        more.pop("minute", 30 + int(place or 0)),
        [],
        status=more.pop("status", "pass"),
        task_id=more.pop("task_id", f"task of {name}"),
        verdict=told,
        delta={"speedup": ratio},
        experiment=more.pop("experiment", {"hot_kernel": RESIDUAL, "lever_type": lever}),
        target=target,
        **more,
    )


# Case → earlier tries, and what they say about the spilling kernel.
HISTORY: dict[str, tuple[list[Draft], str]] = {
    "loss": ([tried("loss", LEVER, "slower", 0.93)], "rejected"),
    "small loss": ([tried("small loss", LEVER, "slower_small", 0.98)], "rejected"),
    "same": ([tried("same", LEVER, "same", 1.0)], "seen"),
    "unclear": ([tried("unclear", LEVER, "inconclusive", 0.9)], "seen"),
    "win": ([tried("win", LEVER, "faster", 1.1)], "seen"),
    "unstable": ([tried("unstable", LEVER, "unstable", 0.5, **UNSTABLE)], "inconclusive"),
    "failed": ([tried("failed", LEVER, "slower", 0.5, status="fail")], "seen"),
    "best decides": (
        [
            tried("best decides", LEVER, "slower", 0.9),
            tried("best decides#1", LEVER, "faster", 1.1),
        ],
        "seen",
    ),
    "stable decides": (
        [
            tried("stable decides", LEVER, "slower", 0.9),
            tried("stable decides#1", LEVER, "unstable", 1.5, **UNSTABLE),
        ],
        "rejected",
    ),
    "older loss": ([tried("older loss", LEVER, None, 0.97, **BARE)], "rejected"),
    "older tie": ([tried("older tie", LEVER, None, 1.0, **BARE)], "seen"),
    "older with samples": ([tried("older with samples", LEVER, None, 0.97)], "seen"),
    "other quant": ([tried("other quant", LEVER, "slower", 0.9, target={"quant": "mq6"})], "none"),
    "unknown quant": (
        [tried("unknown quant", LEVER, "slower", 0.9, target={"quant": "unknown"})],
        "rejected",
    ),
    "other lever": ([tried("other lever", "fusion", "slower", 0.9)], "none"),
    "other kernel": (
        [
            tried(
                "other kernel",
                LEVER,
                "slower",
                0.9,
                experiment={"hot_kernel": QKV, "lever_type": LEVER},
            )
        ],
        "none",
    ),
}
OLDER = {
    "older multirow": ({"task_id": "try-multirow-3"}, {"dispatch"}),
    "older rows": ({"side": {"env": {"HIPFIRE_GEMV_ROWS": "4"}}}, {"dispatch", "env_sweep"}),
    "older env": ({"side": {"env": {"HIPFIRE_OTHER": "4"}}}, {"env_sweep"}),
    "older nothing": ({"side": {"env": {"OTHER": "4"}}}, set()),
}
SHAKY = {"status": "unstable", "stability": {"status": "unstable", "rel_spread": 0.31}}
MORE: dict[str, list[Draft]] = {
    "shaky": [tried("shaky", LEVER, "unstable", 0.9, **SHAKY)],
    "settled": [
        tried("settled", LEVER, "unstable", 0.9, **SHAKY),
        tried("settled#9", "fusion", "same", 1.0),
    ],
    "counted": [
        tried("counted", "source_sweep", "same", 1.0),
        tried("counted#1", "nothing like it", "same", 1.0),
        tried("counted#2", "fusion", "same", 1.0, target={"arch": "gfx1100"}),
    ],
    **{
        name: [graph_ab(name, 30, [], target={**TARGET, "arch": "gfx1201", "workload": name})]
        for name in ("calm and known", "busy and known")
    },
    **{name: [tried(name, None, "same", 1.0, **told)] for name, (told, _) in OLDER.items()},
}


@pytest.fixture(scope="module")
def found() -> Found:
    cases = {*ROWS, *HISTORY, *MORE}
    drafts = [one for name in sorted(cases) for one in hot_row(**ROWS.get(name, {}), workload=name)]
    drafts += [one for tries, _ in HISTORY.values() for one in tries]
    drafts += [one for tries in MORE.values() for one in tries]
    catalog = Catalog()
    with passing(catalog, drafts) as reader:
        names = dict(reader.ask("SELECT row_id, workload FROM rows").rows)
        made = ask(reader, catalog, "suggestions", max_suggestions=30).dicts()
    sorted_by_case: Found = {name: [] for name in cases}
    for one in made:
        sorted_by_case[names[one["row_id"]]].append(one)
    return sorted_by_case


@pytest.fixture(scope="module")
def plain(found: Found) -> list[dict[str, Any]]:
    return found["plain"]


def told(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(one["lever_type"], one["hot_kernel"], one["score"]) for one in found]


def test_order_and_scores(plain: list[dict[str, Any]]) -> None:
    assert told(plain) == [
        ("register_pressure", RESIDUAL, 96.0),
        ("dispatch", RESIDUAL, 94.0),
        ("fusion", None, 92.0),
        ("source_sweep", RESIDUAL, 90.0),
        ("fusion", NORM, 88.0),
        ("dispatch", QKV, 85.0),
        ("measurement", None, 84.0),
        ("measurement", None, 83.0),
        ("source_sweep", QKV, 82.0),
        ("graph", None, 80.0),
        ("source_sweep", NORM, 78.0),
        ("register_pressure", QKV, 76.0),
        ("env_sweep", RESIDUAL, 74.0),
    ]
    assert [one["rank"] for one in plain] == list(range(1, 14))


def test_ids_and_keys_are_what_the_format_says(plain: list[dict[str, Any]]) -> None:
    for one in plain:
        parts = [
            one["title"],
            one["lever_type"],
            one["hot_kernel"] or "",
            chr(30).join(one["allowed_files"]),
            chr(30).join(one["candidate_steps"]),
        ]
        digest = hashlib.sha256(chr(31).join(parts).encode()).hexdigest()
        assert one["id"] == f"sug-{digest[:12]}"
        key = ["gfx1201", "plain", "decode_ar", "decode_ar_pp128_gen50", "mq4"]
        key += [one["hot_kernel"] or "", one["lever_type"]]
        digest = hashlib.sha256(chr(31).join(key).encode()).hexdigest()
        assert one["history_key"] == f"hist-{digest[:12]}"
    assert len({one["id"] for one in plain}) == len(plain)


def test_ids_do_not_change(plain: list[dict[str, Any]]) -> None:
    assert plain[0]["id"] == "sug-f87cacac1598"


def test_files_that_may_be_edited(plain: list[dict[str, Any]]) -> None:
    files = {(one["lever_type"], one["hot_kernel"]): one["allowed_files"] for one in plain}
    assert files["register_pressure", RESIDUAL] == [f"kernels/src/{RESIDUAL}.hip"]
    assert files["dispatch", RESIDUAL] == [
        f"kernels/src/{RESIDUAL}.hip",
        "crates/rdna-compute/src/kernels.rs",
        DISPATCH_RS,
    ]
    assert files["dispatch", QKV] == [f"kernels/src/{QKV}.hip", DISPATCH_RS]
    assert files["fusion", None] == [f"kernels/src/{NORM}.hip", "crates/engine/src/norm.rs"]
    assert files["env_sweep", RESIDUAL] == [DISPATCH_RS, "crates/engine/src/decode.rs"]
    assert files["graph", None] == []


def test_equal_inputs_give_equal_ids_whatever_was_measured(found: Found) -> None:
    assert {one["id"] for one in found["shifted"]} == {one["id"] for one in found["plain"]}
    assert told(found["shifted"]) != told(found["plain"])


def test_limits() -> None:
    catalog = Catalog()
    with passing(catalog, hot_row()) as reader:
        few = ask(reader, catalog, "suggestions", max_suggestions=3, hot_limit=1).dicts()
    assert told(few) == [
        (LEVER, RESIDUAL, 96.0),
        ("dispatch", RESIDUAL, 94.0),
        ("fusion", None, 92.0),
    ]


@pytest.mark.parametrize(
    ("case", "gone"),
    [
        ("prefill", {("fusion", None, 92.0), ("graph", None, 80.0)}),
        ("older card", {("dispatch", RESIDUAL, 94.0)}),
        ("covered", {("measurement", None, 84.0), ("measurement", None, 95.0)}),
        ("uncovered", {("measurement", None, 84.0)}),
        ("with graph", {("graph", None, 80.0)}),
        ("lost only", {("source_sweep", LOST, 72.0), ("env_sweep", LOST, 63.0)}),
        ("less paro", {("format_kernel", "gemv_paro4g128_a", 98.2)}),
        ("paro", {("fusion", None, 92.0)}),
        ("no objects", {("fusion", None, 92.0), ("measurement", None, 83.0)}),
        ("calm and known", {("graph", None, 80.0)}),
    ],
)
def test_a_rule_wants_all_its_conditions(
    found: Found, case: str, gone: set[tuple[str, str | None, float]]
) -> None:
    assert found[case]
    assert not gone & set(told(found[case]))


def test_poor_coverage_comes_before_nearly_all(found: Found) -> None:
    assert ("measurement", None, 95.0) in told(found["uncovered"])


def test_paro_rotation_leads(found: Found) -> None:
    first = found["paro"][0]
    assert told([first]) == [("format_kernel", "gemv_paro4g128_a", 99.0)]
    assert first["allowed_files"] == ["kernels/src/gemv_paro4g128.hip", DISPATCH_RS]


def test_partial_rows_are_no_input(found: Found) -> None:
    assert found["partial"] == []


def test_a_measured_loss_demotes_and_tells_its_ratio(found: Found) -> None:
    lost = next(one for one in found["loss"] if one["score_before_history"] is not None)
    assert told([lost]) == [(LEVER, RESIDUAL, 48.0)]
    assert (lost["score_before_history"], lost["rank"]) == (96.0, 13)
    assert lost["history"] == {
        "status": "rejected",
        "match_count": 1,
        "best_speedup": 0.93,
        "task_ids": ["task of loss"],
    }
    assert "Tried before and slower: best ratio 0.93 in 1 tries." in lost["rationale"]


@pytest.mark.parametrize("case", HISTORY)
def test_what_history_says(found: Found, case: str) -> None:
    mine = next(
        one for one in found[case] if (one["lever_type"], one["hot_kernel"]) == (LEVER, RESIDUAL)
    )
    assert mine["history"]["status"] == HISTORY[case][1]
    assert mine["score"] == (48.0 if HISTORY[case][1] == "rejected" else 96.0)


def test_matches_by_id_and_key(plain: list[dict[str, Any]]) -> None:
    catalog = Catalog()
    about = [
        tried("plain", None, "same", 1.0, experiment={"suggestion_id": plain[1]["id"]}),
        tried("plain#1", None, "same", 1.0, experiment={"history_key": plain[2]["history_key"]}),
    ]
    with passing(catalog, [*hot_row(workload="plain"), *about]) as reader:
        again = ask(reader, catalog, "suggestions", max_suggestions=30).dicts()
    assert [one["history"]["match_count"] for one in again[:4]] == [0, 1, 1, 0]


@pytest.mark.parametrize("case", OLDER)
def test_older_records_match_by_what_they_set(found: Found, case: str) -> None:
    levers = {one["lever_type"] for one in found[case] if one["history"]["match_count"]}
    assert levers == OLDER[case][1]


def test_an_unstable_newest_eval_is_settled_first(found: Found) -> None:
    settle = next(one for one in found["shaky"] if one["title"].startswith("Settle the run shape"))
    assert settle["score"] == 85.0
    assert "The runs spread by 31 % of their median." in settle["rationale"]
    assert not any(one["title"].startswith("Settle") for one in found["settled"])


def test_graph_is_asked_once_unless_launches_are_many(found: Found) -> None:
    assert ("graph", None, 80.0) in told(found["calm"])
    graph = next(one for one in found["busy and known"] if one["lever_type"] == "graph")
    assert "The profile shows 1000 launches per generated token." in graph["rationale"]
    assert graph["history"]["match_count"] == 1


def test_counts_of_history(found: Found) -> None:
    first = found["counted"][0]
    assert (first["target_entries"], first["matched_entries"]) == (2, 1)
    assert first["history_entries"] > 20
