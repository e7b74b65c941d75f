from collections.abc import Iterator
from typing import Any

import pytest
from support.evidence import run, series

from atlas.ask import ask
from ledger.passing import passing
from ledger.reader import Reader
from queries.catalog import Catalog

FAST = [132.9, 132.7, 131.7, 132.0]
SLOW = [129.8, 129.2, 129.4, 129.1]
WILD = [129.8, 170.0, 129.4, 129.1]


def treated(number: int) -> dict[str, Any]:
    return {"git_sha": f"{number:x}" * 40, "binary_md5": f"{number:x}" * 32}


DRAFTS = [
    *series("a.", FAST, 0, **treated(1)),
    *series("b.", FAST[:3], 10, **treated(2)),
    *series("c.", SLOW, 20, **treated(3)),
    *series("d.", SLOW, 30, **treated(3)),
    *series("e.", FAST, 40, **treated(1)),
    *series("hot.", WILD, 50, shape_bucket="unstable"),
    *series("cold.", FAST, 60, shape_bucket="cold", tags=["cold"]),
    *series("prof.", FAST, 70, shape_bucket="prof", env={"HIPFIRE_PROFILE": "1"}),
    run("one.", 1.0, 80, shape_bucket="one"),
    *series("away.", FAST, 90, host="basalt"),
    *series("blind.", FAST, 100, model={}, shape_bucket="blind"),
]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture(scope="module")
def reader(catalog: Catalog) -> Iterator[Reader]:
    with passing(catalog, DRAFTS) as found:
        yield found


def test_why_a_series_is_no_baseline(reader: Reader, catalog: Catalog) -> None:
    told = {one["session"]: one["refused"] for one in ask(reader, catalog, "series").dicts()}
    assert told == {
        "a.": None,
        "b.": "3 runs, at least 4 are needed",
        "c.": None,
        "d.": None,
        "e.": None,
        "hot.": "unstable: spread 0.32 of the median",
        "cold.": "cold starts in 4 runs",
        "prof.": "profiled: launches are serialised",
        "one.": "a single run",
        "away.": None,
        "blind.": None,
    }


def test_the_newest_baseline_of_each_workload_is_marked(reader: Reader, catalog: Catalog) -> None:
    found = ask(reader, catalog, "baselines").dicts()
    newest = [(one["git_sha"][:1], one["host"]) for one in found if one["is_newest"]]
    assert sorted(newest) == [("1", "amber"), ("3", "amber"), ("3", "basalt")]
    assert len(found) == 6


def test_each_treatment_stands_against_the_one_before(reader: Reader, catalog: Catalog) -> None:
    steps = [
        (one["against"], one["git_sha_a"][:1], one["git_sha_b"][:1], one["verdict"])
        for one in ask(reader, catalog, "comparisons").dicts()
    ]
    assert sorted(steps) == [
        ("baseline", "1", "3", "slower"),
        ("baseline", "1", "3", "slower"),
        ("previous", "1", "2", "insufficient"),
        ("previous", "2", "3", "insufficient"),
        ("previous", "2", "3", "insufficient"),
        ("previous", "3", "1", "faster"),
    ]


def test_regressions_by_commit(reader: Reader, catalog: Catalog) -> None:
    found = ask(reader, catalog, "regressed_by_commit").dicts()
    assert [(one["git_sha"][:1], one["before"][:1], one["against"]) for one in found] == [
        ("3", "1", "baseline"),
        ("3", "1", "baseline"),
    ]
    assert ask(reader, catalog, "regressed_by_commit", arch="gfx906").rows == []


def test_near_misses_name_the_field(reader: Reader, catalog: Catalog) -> None:
    found = ask(reader, catalog, "not_comparable").dicts()
    told = {(one["field"], one["state"], one["a"], one["b"]) for one in found}
    assert ("host", "differs", "amber", "basalt") in told
    assert not any(one["shape_bucket"] == "blind" for one in found)
