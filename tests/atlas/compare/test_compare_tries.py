from collections.abc import Iterator

import pytest
from support.tries import BASE, BETTER, event_ids, graph_ab, result, runs

from atlas.ask import ask
from atlas.compare.sides import Question, compare, refuse, told_fields
from ledger.envelope import Draft
from ledger.passing import passing
from ledger.reader import Reader
from queries.catalog import Catalog

OTHER = "b2" + "0" * 30
FIRST = runs("first", BASE, 0)
SECOND = runs("second", BETTER, 10, binary_md5=OTHER)
ELSEWHERE = runs("elsewhere", BETTER, 20, host="basalt", command='["./other"]')
OFF = runs("graph", BASE, 30, kind="graph_ab", arm="graph_off", env={"HIPFIRE_GRAPH": "0"})
ON = runs("graph", BETTER, 30, kind="graph_ab", arm="graph_on", env={"HIPFIRE_GRAPH": "1"})
EVAL_1 = result("first", 5, event_ids(FIRST))
EVAL_2 = result("second", 15, event_ids(SECOND))
EVAL_3 = result("elsewhere", 25, event_ids(ELSEWHERE))
AB = graph_ab("graph", 40, event_ids([*OFF, *ON]))
ALL = [*FIRST, *SECOND, *ELSEWHERE, *OFF, *ON, EVAL_1, EVAL_2, EVAL_3, AB]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture(scope="module")
def reader(catalog: Catalog) -> Iterator[Reader]:
    with passing(catalog, ALL) as found:
        yield found


def ids(*drafts: Draft) -> tuple[str, ...]:
    return tuple(event_ids(list(drafts)))


def test_two_evals_are_compared_by_their_runs(reader: Reader, catalog: Catalog) -> None:
    a, b = ids(EVAL_1, EVAL_2)
    pair = compare(reader, catalog, (a, b), Question()).pairs[0]
    assert (pair["verdict"], pair["samples_a"], pair["samples_b"]) == ("faster", BASE, BETTER)
    assert [one["field"] for one in pair["changed"]] == ["binary_md5"]
    assert "perf-only" not in " ".join(pair["remarks"])


def test_a_single_run_stands_for_its_eval(reader: Reader, catalog: Catalog) -> None:
    a, b = ids(FIRST[2], EVAL_2)
    assert compare(reader, catalog, (a, b), Question()).pairs[0]["n_a"] == 4


def test_other_commands_and_hosts_are_refused(reader: Reader, catalog: Catalog) -> None:
    a, b = ids(EVAL_1, EVAL_3)
    told = told_fields(compare(reader, catalog, (a, b), Question()).pairs[0])
    assert told == 'command differs (["./probe"] / ["./other"]), host differs (amber / basalt)'


def test_an_ab_on_both_sides_means_its_arms(reader: Reader, catalog: Catalog) -> None:
    (both,) = ids(AB)
    found = compare(reader, catalog, (both, both), Question("env:HIPFIRE_GRAPH"))
    refuse(found)
    pair = found.pairs[0]
    assert (pair["verdict"], pair["grade"]) == ("faster", "interleaved")
    assert pair["ratio"] == pytest.approx(1.04, abs=0.001)


def test_runs_of_one_experiment_are_one_series(reader: Reader, catalog: Catalog) -> None:
    found = {
        one["series_id"]: (one["kind"], one["n"], one["arm"], one["refused"])
        for one in ask(reader, catalog, "series").dicts()
    }
    assert found == {
        "first:candidate:score": ("eval", 4, None, None),
        "second:candidate:score": ("eval", 4, None, None),
        "elsewhere:candidate:score": ("eval", 4, None, None),
        "graph:graph_off:score": ("ab", 4, "a", None),
        "graph:graph_on:score": ("ab", 4, "b", None),
    }


def test_the_second_eval_is_a_step_from_the_first(reader: Reader, catalog: Catalog) -> None:
    steps = ask(reader, catalog, "comparisons").dicts()
    assert [(one["series_a"], one["series_b"], one["verdict"]) for one in steps] == [
        ("first:candidate:score", "second:candidate:score", "faster")
    ]


def test_failed_runs_and_what_was_taken_back_are_no_samples(catalog: Catalog) -> None:
    gone = [Draft("retraction", {"target": event_ids([FIRST[0]])[0], "why": "hot"})]
    failed = runs("failed", [1.0], 50)
    failed[0].payload["run"]["reason"] = "exit_nonzero"
    with passing(catalog, [*FIRST, EVAL_1, *failed, *gone]) as reader:
        kept = [row[0] for row in ask(reader, catalog, "samples").rows]
    assert sorted(kept) == sorted(event_ids(FIRST[1:]))
