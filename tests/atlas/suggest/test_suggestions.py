import hashlib
from typing import Any

import pytest
from support.hot_row import LOST, NORM, QKV, RESIDUAL, hot_row, kernel
from support.tries import TARGET, graph_ab, result

from atlas.ask import ask
from ledger.envelope import Draft
from ledger.store import passing
from queries.catalog import Catalog

ON_TARGET = {**TARGET, "arch": "gfx1201"}
DISPATCH_RS = "crates/rdna-compute/src/dispatch.rs"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog()


def suggested(catalog: Catalog, *drafts: Draft, **given: Any) -> list[dict[str, Any]]:
    with passing(catalog, list(drafts)) as reader:
        return ask(reader, catalog, "suggestions", **given).dicts()


def told(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(one["lever_type"], one["hot_kernel"], one["score"]) for one in found]


@pytest.fixture(scope="module")
def plain(catalog: Catalog) -> list[dict[str, Any]]:
    return suggested(catalog, *hot_row(), max_suggestions=30)


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
        key = [ON_TARGET[name] for name in ("arch", "workload", "phase", "shape_bucket", "quant")]
        key += [one["hot_kernel"] or "", one["lever_type"]]
        digest = hashlib.sha256(chr(31).join(key).encode()).hexdigest()
        assert one["history_key"] == f"hist-{digest[:12]}"
    assert len({one["id"] for one in plain}) == len(plain)


def test_ids_do_not_change(plain: list[dict[str, Any]]) -> None:
    assert plain[0]["id"] == "sug-f87cacac1598"


def test_equal_inputs_give_equal_ids_whatever_was_measured(
    catalog: Catalog, plain: list[dict[str, Any]]
) -> None:
    profile = [kernel(RESIDUAL, 47.0), kernel(QKV, 25.0), kernel(NORM, 15.0), kernel(LOST, 5.0)]
    again = suggested(catalog, *hot_row(profile_kernels=profile), max_suggestions=30)
    assert {one["id"] for one in again} == {one["id"] for one in plain}
    assert told(again) != told(plain)


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


def test_limits(catalog: Catalog, plain: list[dict[str, Any]]) -> None:
    few = suggested(catalog, *hot_row(), max_suggestions=3)
    assert told(few) == told(plain)[:3]
    assert len(suggested(catalog, *hot_row())) == 12
    one = suggested(catalog, *hot_row(), hot_limit=1, max_suggestions=30)
    assert {one["hot_kernel"] for one in one} == {RESIDUAL, None}


@pytest.mark.parametrize(
    ("changed", "gone"),
    [
        ({"phase": "prefill"}, {("fusion", None), ("graph", None)}),
        ({"arch": "gfx1100"}, {("dispatch", RESIDUAL)}),
        ({"metrics": {"rocprof_coverage_pct": 90.0}}, {("measurement", None)}),
        ({"env": {"HIPFIRE_GRAPH": "1"}}, {("graph", None)}),
        ({"profile_kernels": [kernel(LOST, 4.0)]}, {("source_sweep", RESIDUAL)}),
    ],
)
def test_a_rule_wants_all_its_conditions(
    catalog: Catalog, changed: dict[str, Any], gone: set[tuple[str, str | None]]
) -> None:
    found = suggested(catalog, *hot_row(**changed), max_suggestions=30)
    seen = {(one["lever_type"], one["hot_kernel"]) for one in found}
    if gone == {("measurement", None)}:
        assert [one["score"] for one in found if one["lever_type"] == "measurement"] == [83.0]
    else:
        assert not gone & seen


def test_poor_coverage_comes_before_nearly_all(catalog: Catalog) -> None:
    found = suggested(catalog, *hot_row(metrics={"rocprof_coverage_pct": 74.9}))
    assert ("measurement", None, 95.0) in told(found)
    assert ("measurement", None, 84.0) not in told(found)


def test_paro_rotation_leads_and_replaces_the_general_fusion(catalog: Catalog) -> None:
    profile = [kernel("gemv_paro4g128_a", 30.0), kernel("gemv_paro4g128_b", 18.0)]
    found = suggested(catalog, *hot_row(profile_kernels=profile))
    assert told(found)[0] == ("format_kernel", "gemv_paro4g128_a", 99.0)
    assert found[0]["allowed_files"] == ["kernels/src/gemv_paro4g128.hip", DISPATCH_RS]
    assert ("fusion", None, 92.0) not in told(found)
    below = [kernel("gemv_paro4g128_a", 20.0), kernel("gemv_paro4g128_b", 14.9)]
    found = suggested(catalog, *hot_row(profile_kernels=below))
    assert "format_kernel" not in {one["lever_type"] for one in found}


def test_without_objects_nothing_is_said_about_instructions(catalog: Catalog) -> None:
    found = suggested(catalog, *hot_row(artifacts={}))
    assert {one["lever_type"] for one in found} == {
        "dispatch",
        "fusion",
        "measurement",
        "graph",
    }
    assert ("fusion", None, 92.0) not in told(found)


def test_partial_rows_are_no_input(catalog: Catalog) -> None:
    assert suggested(catalog, *hot_row(status="partial")) == []


def tried(
    name: str, lever: str | None, verdict: str | None, ratio: float, /, **more: Any
) -> Draft:
    status = more.pop("status", "pass")
    told = {"verdict": verdict, "ratio": ratio} if verdict else None
    about = more.pop("experiment", {"hot_kernel": RESIDUAL, "lever_type": lever})
    return result(
        name,
        more.pop("minute", 30),
        [],
        status=status,
        verdict=told,
        delta={"speedup": ratio},
        experiment=about,
        target=more.pop("target", ON_TARGET),
        **more,
    )


def test_a_measured_loss_demotes_and_tells_its_ratio(catalog: Catalog) -> None:
    found = suggested(
        catalog, *hot_row(), tried("a", "register_pressure", "slower", 0.93), max_suggestions=30
    )
    lost = next(one for one in found if one["score_before_history"] is not None)
    assert (lost["lever_type"], lost["score"], lost["score_before_history"]) == (
        "register_pressure",
        48.0,
        96.0,
    )
    assert lost["history"] == {
        "status": "rejected",
        "match_count": 1,
        "best_speedup": 0.93,
        "task_ids": ["atlas-task-1"],
    }
    assert "Tried before and slower: best ratio 0.93 in 1 tries." in lost["rationale"]
    assert lost["rank"] == 13


@pytest.mark.parametrize(
    ("tries", "status"),
    [
        ([("register_pressure", "slower_small", 0.98, {})], "rejected"),
        ([("register_pressure", "same", 1.0, {})], "seen"),
        ([("register_pressure", "inconclusive", 0.9, {})], "seen"),
        ([("register_pressure", "faster", 1.1, {})], "seen"),
        ([("register_pressure", "unstable", 0.5, {"status": "unstable"})], "inconclusive"),
        ([("register_pressure", "slower", 0.5, {"status": "fail"})], "seen"),
        # the best result decides
        (
            [("register_pressure", "slower", 0.9, {}), ("register_pressure", "faster", 1.1, {})],
            "seen",
        ),
        (
            [
                ("register_pressure", "slower", 0.9, {}),
                ("register_pressure", "unstable", 1.5, {"status": "unstable"}),
            ],
            "rejected",
        ),
        # older records, without samples
        ([("register_pressure", None, 0.97, {"samples": [], "baseline": {}})], "rejected"),
        ([("register_pressure", None, 1.0, {"samples": [], "baseline": {}})], "seen"),
        ([("register_pressure", None, 0.97, {})], "seen"),
        # another target, or nothing alike
        ([("register_pressure", "slower", 0.9, {"target": {**ON_TARGET, "quant": "mq6"}})], "none"),
        ([("register_pressure", "slower", 0.9, {"target": {"arch": "gfx1201"}})], "rejected"),
        ([("fusion", "slower", 0.9, {})], "none"),
        (
            [
                (
                    "register_pressure",
                    "slower",
                    0.9,
                    {"experiment": {"hot_kernel": QKV, "lever_type": "register_pressure"}},
                )
            ],
            "none",
        ),
    ],
)
def test_what_history_says(
    catalog: Catalog, tries: list[tuple[Any, Any, float, dict[str, Any]]], status: str
) -> None:
    drafts = [
        tried(f"t{place}", lever, verdict, ratio, minute=30 + place, **dict(more))
        for place, (lever, verdict, ratio, more) in enumerate(tries)
    ]
    found = suggested(catalog, *hot_row(), *drafts, max_suggestions=30)
    mine = next(
        one
        for one in found
        if (one["lever_type"], one["hot_kernel"]) == ("register_pressure", RESIDUAL)
    )
    assert mine["history"]["status"] == status


def test_matches_by_id_and_key(catalog: Catalog, plain: list[dict[str, Any]]) -> None:
    for name, value in (
        ("suggestion_id", plain[1]["id"]),
        ("history_key", plain[1]["history_key"]),
    ):
        found = suggested(catalog, *hot_row(), tried("a", None, "same", 1.0, experiment={name: value}))
        assert [one["id"] for one in found if one["history"]["match_count"]] == [plain[1]["id"]]


@pytest.mark.parametrize(
    ("task", "env", "levers"),
    [
        ("try-multirow-3", {}, {"dispatch"}),
        ("x", {"HIPFIRE_GEMV_ROWS": "4"}, {"dispatch", "env_sweep"}),
        ("x", {"HIPFIRE_OTHER": "4"}, {"env_sweep"}),
        ("x", {"OTHER": "4"}, set()),
    ],
)
def test_older_records_match_by_what_they_set(
    catalog: Catalog, task: str, env: dict[str, str], levers: set[str]
) -> None:
    older = tried("a", None, "same", 1.0, task_id=task, side={"env": env})
    found = suggested(catalog, *hot_row(), older, max_suggestions=30)
    assert {one["lever_type"] for one in found if one["history"]["match_count"]} == levers


def test_an_unstable_newest_eval_is_settled_first(catalog: Catalog) -> None:
    shaky = tried(
        "a",
        "register_pressure",
        "unstable",
        0.9,
        status="unstable",
        stability={"status": "unstable", "rel_spread": 0.31},
    )
    found = suggested(catalog, *hot_row(), shaky, max_suggestions=30)
    settle = next(one for one in found if one["score"] == 85.0 and not one["hot_kernel"])
    assert settle["title"].startswith("Settle the run shape")
    assert "The runs spread by 31 % of their median." in settle["rationale"]
    later = tried("b", "fusion", "same", 1.0, minute=40)
    found = suggested(catalog, *hot_row(), shaky, later, max_suggestions=30)
    assert not any(one["title"].startswith("Settle") for one in found)


def test_graph_is_asked_once_unless_launches_are_many(catalog: Catalog) -> None:
    known = graph_ab("g", 30, [], target=ON_TARGET)
    calm = {"rocprof_coverage_pct": 80.0, "gen_tokens": 50.0}
    assert "graph" in {one["lever_type"] for one in suggested(catalog, *hot_row(metrics=calm))}
    found = suggested(catalog, *hot_row(metrics=calm), known)
    assert "graph" not in {one["lever_type"] for one in found}
    busy = suggested(catalog, *hot_row(), known)
    graph = next(one for one in busy if one["lever_type"] == "graph")
    assert "The profile shows 1000 launches per generated token." in graph["rationale"]
    assert graph["history"]["match_count"] == 1


def test_counts_of_history(catalog: Catalog) -> None:
    away = tried("b", "fusion", "same", 1.0, target={**ON_TARGET, "arch": "gfx1100"}, minute=40)
    near = tried("c", "nothing_like_it", "same", 1.0, minute=50)
    hit = tried("a", "source_sweep", "same", 1.0)
    first = suggested(catalog, *hot_row(), hit, near, away)[0]
    counts = ("history_entries", "target_entries", "matched_entries")
    assert tuple(first[name] for name in counts) == (3, 2, 1)
