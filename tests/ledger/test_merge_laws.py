"""The laws of merging over random histories: order, grouping and repetition make no difference."""

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.histories import ORIGINS, Rows, chained, sealed
from support.toy import toy_catalog

from ledger import schema
from ledger.branches import Link, continuing, main_chain, paths
from ledger.drain import bring_up_to_date
from ledger.envelope import GENESIS
from ledger.merge import Merged, merge
from ledger.observer import SILENT

CATALOG = toy_catalog()
SETTINGS = settings(
    derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=10
)

Chain = list[dict[str, Any]]


@st.composite
def histories(draw: st.DrawFn) -> list[Chain]:
    """Branches of up to two origins: each leaves another one somewhere, and goes on differently.

    Numbers are events; a branch may hold an event that another holds too, at another place.
    """
    branches: list[Chain] = []
    for origin in ORIGINS[: draw(st.integers(1, 2))]:
        own: list[list[int]] = [draw(st.lists(st.integers(0, 8), min_size=1, unique=True))]
        for _ in range(draw(st.integers(0, 2))):
            trunk = draw(st.sampled_from(own))
            kept = trunk[: draw(st.integers(0, len(trunk)))]
            new = draw(st.lists(st.integers(0, 12), max_size=4, unique=True))
            own.append(kept + [number for number in new if number not in kept])
        branches += [chained([sealed(n, origin) for n in numbers]) for numbers in own if numbers]
    return branches


@st.composite
def sources(draw: st.DrawFn) -> list[Rows]:
    """Three sources, each with a beginning of some of the branches."""
    branches = draw(histories())
    found = []
    for name in "abc":
        rows: dict[str, dict[str, Any]] = {}
        for branch in draw(st.lists(st.sampled_from(branches), min_size=1, max_size=3)):
            for row in branch[: draw(st.integers(1, len(branch)))]:
                rows[row["hash"]] = row
        found.append(Rows(name, list(rows.values())))
    return found


@cache
def _one_for_all() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    schema.migrate(connection)
    return connection


@contextmanager
def emptied() -> Iterator[duckdb.DuckDBPyConnection]:
    """A ledger without events; the same one each time, since making one costs more than a test."""
    connection = _one_for_all()
    bring_up_to_date(connection, CATALOG)
    for table in ("events", "conflicts", "merges", "sources", "facts_failed", "thing", "paint"):
        connection.execute(f"DELETE FROM {table}")
    yield connection


def merged(offers: Sequence[Rows]) -> tuple[dict[str, Any], list[Merged]]:
    """What a new ledger says after merging ``offers`` in order, and how each merge went."""
    with emptied() as connection:
        took = [merge(connection, CATALOG, one, SILENT, dry_run=False) for one in offers]
        assert [one.refused for one in took] == [""] * len(offers)
        asked = {
            "events": "SELECT hash FROM events UNION SELECT hash FROM conflicts",
            "contested": """
                WITH fork AS (SELECT origin, min(seq) AS seq FROM conflicts GROUP BY origin)
                SELECT e.hash FROM (FROM events UNION ALL BY NAME FROM conflicts) e
                JOIN fork f ON f.origin = e.origin AND e.seq >= f.seq""",
            "thing": "FROM thing",
            "twice": """
                SELECT hash FROM (SELECT hash FROM events UNION ALL SELECT hash FROM conflicts)
                GROUP BY hash HAVING count(*) > 1""",
        }
        says = {name: sorted(connection.execute(sql).fetchall()) for name, sql in asked.items()}
        return says, took


def expected(offers: Sequence[Rows]) -> dict[str, Any]:
    """The same in plain Python, from the definition."""
    rows = {row["hash"]: row for offer in offers for row in offer._events}
    forks: dict[str, int] = {}
    for row in rows.values():
        rivals = [
            other
            for other in rows.values()
            if (other["origin"], other["seq"]) == (row["origin"], row["seq"])
        ]
        if len(rivals) > 1:
            forks[row["origin"]] = min(row["seq"], forks.get(row["origin"], row["seq"]))
    contested = [r["hash"] for r in rows.values() if r["seq"] >= forks.get(r["origin"], 1 << 60)]
    ids = {row["event_id"]: row for row in rows.values()}
    return {
        "events": sorted((hash_,) for hash_ in rows),
        "contested": sorted((hash_,) for hash_ in contested),
        "thing": sorted((i, json.loads(row["payload"])["size"]) for i, row in ids.items()),
        "twice": [],
    }


@SETTINGS
@given(sources(), st.permutations(range(3)))
def test_order_and_repetition_make_no_difference(offers: list[Rows], order: list[int]) -> None:
    wanted = expected(offers)
    says, _ = merged(offers)
    assert says == wanted
    again, took = merged([*(offers[place] for place in order), *offers])
    assert again == wanted
    assert [one.new for one in took[3:]] == [0, 0, 0]


@SETTINGS
@given(sources())
def test_grouping_makes_no_difference(offers: list[Rows]) -> None:
    """Merging b and c first, and then a with both, is merging all."""
    together = {r["hash"]: r for offer in offers[1:] for r in offer._events}
    says, _ = merged([offers[0], Rows("b+c", list(together.values()))])
    assert says == expected(offers)


def test_the_known_case_of_an_event_that_stands_in_two_branches() -> None:
    """Its facts are there once, and are those of its first place, whichever branch came first."""
    origin = ORIGINS[0]
    one = Rows("one", chained([sealed(n, origin) for n in (1, 2, 3, 4)]))
    other = Rows("other", chained([sealed(n, origin) for n in (1, 4, 2)]))
    for offers in ([one, other], [other, one]):
        says, took = merged(offers)
        assert says == expected(offers)
        assert took[1].origins[0].forked_at == 1
        assert took[1].origins[0].contested == 5


LINKS = [
    Link(0, "a", GENESIS),
    Link(1, "b", "a"),
    Link(2, "c", "b"),
    Link(1, "x", "a"),
    Link(2, "y", "x"),
    Link(2, "z", "x"),
]


def test_a_chain_follows_its_head_and_the_smaller_hash() -> None:
    assert continuing("x", LINKS) == {"y"}
    assert continuing("nowhere", LINKS) == set()
    assert main_chain(LINKS) == {"a", "b", "c"}
    assert main_chain([]) == set()


def test_a_tree_is_cut_into_chains_that_hold_each_link_once() -> None:
    cut = paths(LINKS)
    assert sorted(link for path in cut for link in path) == sorted(LINKS)
    assert all(b.prev_hash == a.hash for path in cut for a, b in itertools.pairwise(path))
    assert len(cut) == 3


@pytest.mark.parametrize("ring", [[Link(1, "a", "b"), Link(2, "b", "a")]])
def test_a_ring_of_hashes_does_not_hang(ring: list[Link]) -> None:
    assert continuing("a", ring) == {"a", "b"}
