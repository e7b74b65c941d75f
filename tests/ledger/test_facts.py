"""Facts: filled with their events, refilled when their files change, never a reason to stop."""

import shutil
from pathlib import Path

import duckdb
import pytest
from support.toy import CATALOG_FOLDER, Ears, plainly, rows, thing, toy_catalog, toy_ledger

from ledger import facts, refill
from ledger.audit import audit_facts
from ledger.envelope import Draft
from ledger.store import Ledger
from queries.catalog import Catalog


@pytest.fixture
def ears() -> Ears:
    return Ears()


@pytest.fixture
def ledger(tmp_path: Path, ears: Ears) -> Ledger:
    return toy_ledger(tmp_path, ears)


@pytest.fixture
def own_catalog(tmp_path: Path) -> Path:
    """A copy of the toy catalog that a test may edit."""
    return Path(shutil.copytree(CATALOG_FOLDER, tmp_path / "catalog"))


def edit(folder: Path, name: str, old: str, new: str) -> Catalog:
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return Catalog(folder)


def sizes(ledger: Ledger) -> list[int]:
    return [row[0] for row in rows(ledger.place.file, "SELECT size FROM thing ORDER BY 1")]


def failures(ledger: Ledger) -> list[tuple[str, str]]:
    return rows(ledger.place.file, "SELECT event_id, fact FROM facts_failed ORDER BY ALL")


def test_facts_come_with_their_events(ledger: Ledger) -> None:
    ledger.record([thing(1, colour="red"), thing(2)])
    ledger.drain()
    assert sizes(ledger) == [1, 2]
    assert rows(ledger.place.file, "SELECT colour FROM paint") == [("red",)]
    assert failures(ledger) == []


def test_a_payload_that_makes_a_fact_fail_never_blocks_the_others(ledger: Ledger) -> None:
    drafts = [thing(number) for number in range(40)]
    bad = [thing(100, size="large"), thing(101, size="1e99", colour="red")]
    ids = ledger.record([*drafts[:7], bad[0], *drafts[7:30], bad[1], *drafts[30:]]).event_ids
    appended = ledger.drain().appended
    lost = (ids[7], ids[31])
    assert set(appended.failed) == set(lost)
    assert len(appended.new) == 42
    assert sizes(ledger) == list(range(40))
    assert failures(ledger) == sorted((event_id, "thing") for event_id in lost)
    ledger.record([thing(41)])
    assert ledger.drain().appended.failed == ()
    assert sizes(ledger)[-1] == 41


def test_an_event_keeps_the_facts_that_do_not_fail(ledger: Ledger) -> None:
    ids = ledger.record(
        [thing(1, size="large", colour="red"), thing(2, colour="error"), thing(3, colour="blue")]
    ).event_ids
    ledger.drain()
    assert sizes(ledger) == [2, 3]
    assert rows(ledger.place.file, "SELECT colour FROM paint ORDER BY 1") == [("blue",), ("red",)]
    assert failures(ledger) == sorted([(ids[0], "thing"), (ids[1], "paint")])
    with ledger.reader() as reader:
        found = audit_facts(reader, toy_catalog()).dicts()
    assert {one["severity"] for one in found} == {"note"}
    assert {(one["event_id"], one["fact"]) for one in found} == set(failures(ledger))


def test_a_parse_that_fails_costs_the_event_all_its_facts(
    ledger: Ledger, own_catalog: Path
) -> None:
    strict = edit(
        own_catalog,
        "facts/_parsed.sql",
        "payload->>'$.size' AS size",
        "CASE WHEN payload LIKE '%bomb%' THEN error('bomb') ELSE payload->>'$.size' END AS size",
    )
    ledger = Ledger(ledger.place.file, strict)
    ids = ledger.record([thing(1), thing(2, bomb=True, colour="red"), thing(3)]).event_ids
    ledger.drain()
    assert sizes(ledger) == [1, 3]
    assert failures(ledger) == [(ids[1], "_parsed")]
    ledger.rebuild()
    assert failures(ledger) == [(ids[1], "_parsed")]


def test_a_repaired_fact_is_filled_for_all_events(ledger: Ledger, own_catalog: Path) -> None:
    ids = ledger.record([thing(1, colour="red"), thing(2, size="large", colour="blue")]).event_ids
    ledger.drain()
    assert failures(ledger) == [(ids[1], "thing")]
    repaired = edit(own_catalog, "facts/thing.sql", "CAST(size", "TRY_CAST(size")
    again = Ledger(ledger.place.file, repaired)
    again.record([thing(3)])
    again.drain()
    assert rows(ledger.place.file, "SELECT size FROM thing ORDER BY size NULLS LAST") == [
        (1,),
        (3,),
        (None,),
    ]
    assert rows(ledger.place.file, "SELECT colour FROM paint ORDER BY 1") == [("blue",), ("red",)]
    assert failures(ledger) == []
    with again.reader() as reader:
        assert audit_facts(reader, repaired).rows == []


def test_a_definition_that_is_broken_stops_the_writer_and_loses_nothing(
    ledger: Ledger, own_catalog: Path
) -> None:
    broken = edit(own_catalog, "facts/thing.sql", "FROM _parsed", "FROM nowhere")
    for first in ([], [thing(1)]):
        if first:
            ledger.record(first)
            ledger.drain()
        writer = Ledger(ledger.place.file, broken)
        writer.record([thing(2)])
        with pytest.raises(duckdb.Error, match="nowhere"):
            writer.drain()
    ledger.drain()
    assert sizes(ledger) == [1, 2]


def test_a_refill_goes_through_all_slices(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refill, "_EVENTS_AT_ONCE", 7)
    ledger.record([thing(number) for number in range(40)])
    ledger.record([thing(50, size="large")])
    ledger.drain()
    ledger.rebuild()
    assert sizes(ledger) == list(range(40))
    assert len(failures(ledger)) == 1


def test_events_of_branches_set_aside_have_facts(ledger: Ledger) -> None:
    ledger.record([thing(number) for number in range(3)])
    ledger.drain()
    with plainly(ledger.place.file) as con:
        con.execute(
            "INSERT INTO conflicts SELECT * REPLACE (md5(event_id) AS event_id) FROM events"
        )
    ledger.rebuild()
    assert sizes(ledger) == [0, 0, 1, 1, 2, 2]


def test_kinds_and_versions_nobody_knows_are_kept(ledger: Ledger, own_catalog: Path) -> None:
    ledger.record([Draft("from_the_future", {"size": 5}), Draft("collection", {}, version=7)])
    assert len(ledger.drain().appended.new) == 2
    assert sizes(ledger) == []
    newer = edit(own_catalog, "facts/thing.sql", "'collection'", "'from_the_future'")
    later = Ledger(ledger.place.file, newer)
    later.record([thing(1)])
    later.drain()
    assert sizes(ledger) == [5]


def test_a_reader_of_another_version_sees_its_own_views(
    ledger: Ledger, ears: Ears, own_catalog: Path
) -> None:
    ledger.record([thing(1), thing(2)])
    ledger.drain()
    edit(own_catalog, "facts/thing.sql", "CAST(size AS INTEGER)", "CAST(size AS INTEGER) + 100")
    other = edit(own_catalog, "views/size_of.sql", "t.size * f.factor", "t.size * f.factor * 2")
    before = ledger.place.file.read_bytes()
    with Ledger(ledger.place.file, other, ears).reader() as reader:
        asked = "SELECT size, weight FROM size_of ORDER BY size"
        assert reader.ask(asked).rows == [(101, 2020), (102, 2040)]
        assert reader.ask("SELECT size FROM things(_least := 102)").rows == [(102,)]
        assert reader.ask_freely("SELECT sum(size) FROM thing", seconds=5).rows == [(203,)]
        assert reader.ask("SELECT size FROM big ORDER BY 1").rows == [(101,), (102,)]
    assert ledger.place.file.read_bytes() == before
    assert [text for text in ears.remarks if "views are of another version" in text]
    ears.remarks.clear()
    with ledger.reader() as reader:
        assert reader.ask("SELECT sum(weight) FROM size_of").rows == [(30,)]
    assert ears.remarks == []


def test_a_fact_that_is_new_to_the_file_is_there_for_its_reader(
    ledger: Ledger, own_catalog: Path
) -> None:
    ledger.record([thing(1, colour="red")])
    ledger.drain()
    (own_catalog / "facts" / "shade.sql").write_text(
        "-- summary: Shades.\n-- grain: event_id\n-- columns: event_id  the event\n"
        "--          shade     its shade\n"
        "SELECT event_id, 'dark ' || colour AS shade FROM _parsed WHERE colour IS NOT NULL\n"
    )
    newer = Ledger(ledger.place.file, Catalog(own_catalog))
    with newer.reader() as reader:
        assert reader.ask("SELECT shade FROM shade").rows == [("dark red",)]
    newer.record([thing(2, colour="blue")])
    newer.drain()
    assert rows(ledger.place.file, "SELECT shade FROM shade ORDER BY 1") == [
        ("dark blue",),
        ("dark red",),
    ]


def test_a_view_that_is_gone_from_the_catalog_does_no_harm(
    ledger: Ledger, own_catalog: Path
) -> None:
    ledger.record([thing(1)])
    ledger.drain()
    (own_catalog / "views" / "big.sql").unlink()
    newer = Ledger(ledger.place.file, Catalog(own_catalog))
    newer.record([thing(2)])
    newer.drain()
    with newer.reader() as reader:
        assert reader.ask("SELECT count(*) FROM size_of").rows == [(2,)]


def test_the_machine_failing_is_never_taken_for_a_bad_payload() -> None:
    class FullDisk:
        def execute(self, *_: object) -> None:
            raise duckdb.IOException("IO Error: No space left on device")

    with pytest.raises(duckdb.IOException, match="No space"):
        facts.derive(FullDisk(), toy_catalog(), toy_catalog().facts)
