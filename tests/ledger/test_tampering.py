"""Every tampering a hash chain can show, each by its own test, done with a plain DuckDB."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from support.auditing import KNOWN, audit_mutants, quick_audit
from support.reference_audit import slow_audit
from support.toy import plainly, rows, thing, toy_catalog, toy_ledger

from ledger.audit import LIMITS, audit_chain
from ledger.reader import Reader

COLUMNS = {
    "event_id": "repeat('0', 32)",
    "origin": "'somebody else'",
    "seq": "seq + 1000",
    "kind": "'ingest'",
    "version": "2",
    "recorded_us": "recorded_us + 1",
    "host": "'another'",
    "git_sha": "'ab12cd4'",
    "diff_md5": "repeat('1', 32)",
    "tree_md5": "repeat('1', 32)",
    "binary_md5": "repeat('1', 32)",
    "model_md5": "repeat('1', 32)",
    "prompt_md5": "repeat('1', 32)",
    "arch": "'gfx906'",
    "payload_sha256": "repeat('a', 64)",
    "prev_hash": "repeat('a', 64)",
    "hash": "repeat('a', 64)",
}


@pytest.fixture
def con(sound: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose changes are taken back."""
    with plainly(sound) as con:
        con.execute("BEGIN")
        yield con
        con.execute("ROLLBACK")


def faults(con: duckdb.DuckDBPyConnection) -> list[tuple[str, int | None]]:
    quick = quick_audit(con)
    assert quick == slow_audit(con, KNOWN)
    return [(fault, seq) for severity, fault, _, seq, _ in quick if severity == "fault"]


def event_at(con: duckdb.DuckDBPyConnection, seq: int) -> str:
    sql = "SELECT event_id FROM events WHERE seq = ? ORDER BY rowid LIMIT 1"
    return str(con.execute(sql, [seq]).fetchall()[0][0])


def test_a_sound_ledger_is_clean_and_its_unknown_kind_is_a_note(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert faults(con) == []
    assert [found[:2] for found in quick_audit(con)] == [("note", "unknown kind")]


def test_changed_byte_of_a_payload(con: duckdb.DuckDBPyConnection) -> None:
    altered = event_at(con, 3)
    con.execute(
        "UPDATE events SET payload = replace(payload, '3', '4') WHERE event_id = ?", [altered]
    )
    found = audit_chain(Reader(con)).dicts()
    assert [one["event_id"] for one in found if one["fault"] == "altered payload"] == [altered]
    assert faults(con) == [("altered payload", 3)]


@pytest.mark.parametrize("column", COLUMNS)
def test_changed_envelope_column(con: duckdb.DuckDBPyConnection, column: str) -> None:
    event_id = event_at(con, 4)
    con.execute(f"UPDATE events SET {column} = {COLUMNS[column]} WHERE event_id = ?", [event_id])
    assert "altered envelope" in {fault for fault, _ in faults(con)}


@pytest.mark.parametrize("column", ["git_sha", "diff_md5", "arch"])
def test_a_provenance_value_made_empty_or_unknown(
    con: duckdb.DuckDBPyConnection, column: str
) -> None:
    """Empty and unknown hash alike, so an empty one is a fault by itself: it is never written."""
    con.execute(f"UPDATE events SET {column} = '' WHERE event_id = ?", [event_at(con, 4)])
    assert faults(con) == [("altered envelope", 4)]


def test_recomputed_digests_break_the_link_to_the_next(con: duckdb.DuckDBPyConnection) -> None:
    """Who recomputes payload digest, id and hash of one event leaves the next one dangling."""
    con.execute(
        "UPDATE events SET hash = sha256(hash), prev_hash = prev_hash WHERE event_id = ?",
        [event_at(con, 4)],
    )
    assert ("broken link", 5) in faults(con)


def test_deleted_event_in_the_middle(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("DELETE FROM events WHERE event_id = ?", [event_at(con, 4)])
    assert faults(con) == [("gap", 5)]


def test_deleted_events_and_a_deleted_first_one(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("DELETE FROM events WHERE seq IN (0, 2, 3)")
    details = [one["detail"] for one in audit_chain(Reader(con)).dicts() if one["fault"] == "gap"]
    assert sorted(details) == ["seq 0 is missing"] * 2 + ["seq 2 to 3 are missing"]


def test_deleted_and_renumbered(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("DELETE FROM events WHERE event_id = ?", [event_at(con, 4)])
    origin = con.execute("SELECT origin FROM events WHERE rowid = 0").fetchall()[0][0]
    con.execute("UPDATE events SET seq = seq - 1 WHERE origin = ? AND seq > 4", [origin])
    found = faults(con)
    assert ("broken link", 4) in found
    assert [seq for fault, seq in found if fault == "altered envelope"] == [4, 5, 6, 7, 8]


def test_reordered_events(con: duckdb.DuckDBPyConnection) -> None:
    origin = con.execute("SELECT origin FROM events WHERE rowid = 0").fetchall()[0][0]
    con.execute("UPDATE events SET seq = 9 - seq WHERE origin = ? AND seq IN (4, 5)", [origin])
    found = faults(con)
    assert {("altered envelope", 4), ("altered envelope", 5)} <= set(found)
    assert {("broken link", 4), ("broken link", 5), ("broken link", 6)} <= set(found)


def test_spliced_chain(con: duckdb.DuckDBPyConnection) -> None:
    """The end of one stream behind the beginning of another."""
    a, b = (
        row[0]
        for row in con.execute(
            "SELECT origin FROM events GROUP BY origin ORDER BY count(*) DESC"
        ).fetchall()
    )
    con.execute("DELETE FROM events WHERE origin = ? AND seq >= 2", [a])
    con.execute("UPDATE events SET origin = $1 WHERE origin = $2 AND seq >= 2", [a, b])
    found = faults(con)
    assert ("broken link", 2) in found
    assert {("altered envelope", 2), ("altered envelope", 3)} <= set(found)


def test_the_same_event_twice(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("INSERT INTO events FROM events WHERE event_id = ?", [event_at(con, 4)])
    assert faults(con) == [("duplicate", 4)]


def test_the_same_event_at_another_place(con: duckdb.DuckDBPyConnection) -> None:
    event_id = event_at(con, 4)
    con.execute(
        "INSERT INTO events SELECT * REPLACE (10 AS seq) FROM events WHERE event_id = ?",
        [event_id],
    )
    assert ("duplicate", 4) in faults(con)


def test_two_events_at_one_place(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("UPDATE events SET seq = 4 WHERE event_id = ?", [event_at(con, 6)])
    assert {("duplicate", 4), ("gap", 7)} <= set(faults(con))


def test_fork(con: duckdb.DuckDBPyConnection) -> None:
    """Branches that were set aside are one fault, however long they are."""
    origin = con.execute("SELECT origin FROM events WHERE rowid = 0").fetchall()[0][0]
    con.execute("INSERT INTO conflicts FROM events WHERE origin = ? AND seq >= 5", [origin])
    con.execute("DELETE FROM events WHERE origin = ? AND seq >= 8", [origin])
    assert faults(con) == [("fork", 5)]


def test_altered_event_of_a_branch_set_aside(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("INSERT INTO conflicts FROM events WHERE event_id = ?", [event_at(con, 5)])
    con.execute("UPDATE conflicts SET payload = '{}'")
    assert faults(con) == [("altered payload", 5), ("fork", 5)]


def test_first_event_that_does_not_start_from_zeros(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("UPDATE events SET prev_hash = repeat('1', 64) WHERE rowid = 0")
    assert set(faults(con)) == {("altered envelope", 0), ("broken link", 0)}


def test_truncated_tail_is_honestly_not_found(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("DELETE FROM events WHERE seq >= 3")
    assert faults(con) == []
    assert "cut-off end" in LIMITS


@pytest.mark.parametrize(
    "change", ["body = body || 'x'::BLOB", "sha256 = repeat('0', 64), n_bytes = 1", "n_bytes = 1"]
)
def test_altered_blob(con: duckdb.DuckDBPyConnection, change: str) -> None:
    con.execute(f"UPDATE blobs SET {change} WHERE rowid = 0")
    assert ("altered blob", None) in faults(con)


def test_removed_blob(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("DELETE FROM blobs WHERE rowid = 0")
    assert faults(con) == [("missing blob", 0)]


def test_without_payloads_links_and_envelopes_are_still_checked(
    con: duckdb.DuckDBPyConnection,
) -> None:
    con.execute("UPDATE events SET payload = 'x', hash = repeat('0', 64) WHERE seq = 2")
    con.execute("DELETE FROM blobs")
    found = audit_chain(Reader(con), payloads=False).dicts()
    assert {one["fault"] for one in found if one["severity"] == "fault"} == {
        "altered envelope",
        "broken link",
    }


def test_every_fault_is_listed_not_only_the_first(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("UPDATE events SET payload = '[]' WHERE seq % 2 = 1")
    assert len([fault for fault, _ in faults(con) if fault == "altered payload"]) == 7


@pytest.mark.parametrize("part", range(5))
def test_both_auditors_agree_on_mutated_ledgers(sound: Path, tmp_path: Path, part: int) -> None:
    copy = shutil.copy(sound, tmp_path / "mutants.duckdb")
    with plainly(Path(copy)) as con:
        tally = audit_mutants(con, range(part * 100, part * 100 + 100))
    assert tally.disagreed == []
    assert tally.made == 100
    assert tally.shown > 80


def test_the_slow_auditor_itself_notices_a_payload(sound: Path) -> None:
    with plainly(sound) as con:
        con.execute("BEGIN")
        con.execute("UPDATE events SET payload = '{}' WHERE rowid = 0")
        assert "altered payload" in {one[1] for one in slow_audit(con, KNOWN)}
        con.execute("ROLLBACK")


def test_facts_that_are_not_what_the_events_say_are_found(tmp_path: Path) -> None:
    from ledger.audit import audit_facts

    ledger = toy_ledger(tmp_path)
    ids = ledger.record([thing(number) for number in range(3)]).event_ids
    ledger.drain()
    with ledger.reader() as reader:
        assert audit_facts(reader, toy_catalog()).rows == []
    with plainly(ledger.place.file) as con:
        con.execute("UPDATE thing SET size = 99 WHERE event_id = ?", [ids[0]])
        con.execute("DELETE FROM thing WHERE event_id = ?", [ids[1]])
        con.execute("INSERT INTO thing FROM thing WHERE event_id = ?", [ids[2]])
    with ledger.reader() as reader:
        found = audit_facts(reader, toy_catalog()).dicts()
    assert {(one["severity"], one["event_id"]) for one in found} == {("fault", i) for i in ids}
    ledger.rebuild()
    with ledger.reader() as reader:
        assert audit_facts(reader, toy_catalog()).rows == []
    assert rows(ledger.place.file, "SELECT size FROM thing ORDER BY 1") == [(0,), (1,), (2,)]
