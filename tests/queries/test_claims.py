import pytest
from support.evidence import series
from support.tries import BASE, BETTER, event_ids, graph_ab, result, runs

from atlas.ask import ask
from ledger.envelope import Draft
from ledger.passing import passing
from queries.catalog import Catalog

GOOD = runs("good", BETTER, 0)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog()


def risks(catalog: Catalog, *drafts: Draft) -> dict[str, set[str]]:
    with passing(catalog, list(drafts)) as reader:
        found = reader.ask("FROM claims()").dicts()
        told = ask(reader, catalog, "claims_at_risk").dicts()
    assert {one["event_id"] for one in told} == {one["event_id"] for one in found}
    return {
        kind: {one["detail"] for one in found if one["severity"] == kind}
        for kind in ("fault", "note")
    }


def test_a_sound_claim_is_clean(catalog: Catalog) -> None:
    assert risks(catalog, *GOOD, result("good", 5, event_ids(GOOD))) == {
        "fault": set(),
        "note": set(),
    }


def test_what_is_no_claim_is_never_at_risk(catalog: Catalog) -> None:
    same = {"verdict": {"verdict": "same", "ratio": 1.0}, "samples": [1.0]}
    none = {"verdict": None, "delta": {"speedup": 1.0}}
    told = risks(catalog, result("a", 5, [], **same), result("b", 6, [], **none))
    assert told == {"fault": set(), "note": set()}


@pytest.mark.parametrize(
    ("changed", "severity", "said"),
    [
        ({"samples": BETTER[:3]}, "fault", "fewer than 4 runs"),
        ({"baseline": {"samples": BASE[:2]}}, "fault", "fewer than 4 runs"),
        ({"verdict": None, "samples": [], "baseline": {}}, "fault", "fewer than 4 runs"),
        ({"stability": {"status": "unstable"}}, "fault", "a side is unstable"),
        ({"side": {"profiled": True}}, "fault", "profiled"),
        ({"verdict": {"verdict": "faster", "grade": "hosts"}}, "fault", "different hosts"),
        ({"correctness": [{"returncode": 1}]}, "fault", "correctness command failed"),
        ({"correctness": []}, "note", "perf-only"),
        ({"provenance": {"git_state": "dirty"}}, "note", "candidate comes from a dirty"),
    ],
)
def test_what_puts_an_eval_at_risk(
    catalog: Catalog, changed: dict[str, object], severity: str, said: str
) -> None:
    told = risks(catalog, *GOOD, result("good", 5, event_ids(GOOD), **changed))
    assert any(said in one for one in told[severity]), told


def test_a_retracted_part_is_a_fault(catalog: Catalog) -> None:
    gone = Draft("retraction", {"target": event_ids(GOOD)[1], "why": "throttled"})
    told = risks(catalog, *GOOD, result("good", 5, event_ids(GOOD)), gone)
    assert "it rests on something that was retracted" in told["fault"]


def test_the_best_of_many_wants_fresh_runs(catalog: Catalog) -> None:
    same = {"verdict": {"verdict": "same", "ratio": 1.0}}
    found = result("good", 5, [])
    other = result("other", 6, [], task_id="atlas-task-2", **same)
    told = risks(catalog, found, other)
    assert told["note"] == {"found among 2 tries on this target, no fresh runs confirm it"}
    again = result("again", 9, [])
    told = risks(catalog, found, other, again)
    assert len(told["note"]) == 1  # the confirmation itself is not confirmed
    with passing(catalog, [found, other, again]) as reader:
        at_risk = [one["event_id"] for one in ask(reader, catalog, "claims_at_risk").dicts()]
    assert at_risk == event_ids([again])


def test_arms_that_ran_the_same_program_are_a_fault(catalog: Catalog) -> None:
    side = {"binary_md5": "a" * 32, "code_objects": "c", "command_digest": "d", "env": {}}
    sides = {
        "a": {"samples": BASE, "binary_kind": "elf", **side},
        "b": {"samples": BETTER, **side},
    }
    told = risks(catalog, graph_ab("ab", 5, [], factor="code", sides=sides))
    assert told["fault"] == {"both sides ran the very same program"}
    told = risks(catalog, graph_ab("ab", 5, [], sides=sides))
    assert told["fault"] == set()


def test_a_promotion_of_too_little_is_a_fault(catalog: Catalog) -> None:
    few = series("few.", [1.0, 1.01], 0, tags=["cold"])
    with passing(catalog, few) as reader:
        row = ask(reader, catalog, "selected_rows", limit=1).rows[0][0]
    promoted = Draft(
        "annotation", {"target": row, "disposition": "promotion_candidate", "why": "fast"}
    )
    told = risks(catalog, *few, promoted)
    assert told["fault"] == {
        "its series has 2 run(s), at least 4 are needed",
        "its series holds cold starts",
    }
    assert told["note"] == {"perf-only: no correctness result"}
    gone = [Draft("retraction", {"target": one, "why": "x"}) for one in event_ids(few)]
    told = risks(catalog, *few, promoted, *gone)
    assert told["fault"] == {"it rests on something that was retracted"}
