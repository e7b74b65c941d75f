"""Merging ledger files: three hosts in all orders, forks, damage, and what is never touched."""

import hashlib
import itertools
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from support.auditing import quick_audit
from support.histories import add, answers, copied, host, text_of
from support.processes import finish, start_writer
from support.toy import Ears, plainly, rows, thing, toy_ledger

from ledger import outbox
from ledger.envelope import Draft
from ledger.errors import LedgerDamaged, LedgerMissing, LedgerUnwritable, SourceMissing
from ledger.store import Ledger


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three hosts with overlapping imports; the third is a copy of the first, and both went on."""
    folder = tmp_path_factory.mktemp("hosts")
    one = host(folder / "one", 1, 3, shared=2)
    host(folder / "two", 10, 2, shared=3)
    three = copied(one, folder / "three")
    add(one, 20)
    add(three, 21, 22)
    return [folder / name / "toy.duckdb" for name in ("one", "two", "three")]


def empty(folder: Path) -> Ledger:
    folder.mkdir()
    return toy_ledger(folder)


def test_all_six_orders_say_the_same(hosts: list[Path], tmp_path: Path) -> None:
    texts, said = set(), []
    for number, order in enumerate(itertools.permutations(hosts)):
        ledger = empty(tmp_path / str(number))
        ledger.merge(order)
        texts.add(text_of(ledger))
        said.append(answers(ledger))
        again = ledger.merge(order)
        assert [(one.new, one.blobs, one.refused) for one in again] == [(0, 0, "")] * 3
    assert len(texts) == 1
    assert all(one == said[0] for one in said[1:])
    assert len(said[0]["thing"]) == 8


def test_a_fork_is_reported_once_and_never_as_a_broken_link(
    hosts: list[Path], tmp_path: Path
) -> None:
    ledger = toy_ledger(tmp_path)
    _, _, third = ledger.merge(hosts)
    forked = next(one for one in third.origins if one.forked_at is not None)
    assert (forked.new, forked.known, forked.contested, forked.forked_at) == (2, 5, 3, 5)
    with plainly(ledger.place.file, read_only=True) as con:
        assert [fault[1] for fault in quick_audit(con)] == ["fork"]


def test_imports_known_elsewhere_are_known_here(hosts: list[Path], tmp_path: Path) -> None:
    ledger = toy_ledger(tmp_path)
    ledger.merge(hosts[:1])
    source = {"file_sha256": "f" * 64, "ordinal": 1, "adapter": "toy", "adapter_version": 1}
    ledger.record([Draft("ingest", {"source": source})])
    assert len(ledger.drain().appended.known) == 1


def test_the_sources_stay_byte_for_byte(hosts: list[Path], tmp_path: Path) -> None:
    files = [file for path in hosts for file in path.parent.rglob("*") if file.is_file()]
    before = {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    toy_ledger(tmp_path).merge(hosts)
    after = {file for path in hosts for file in path.parent.rglob("*") if file.is_file()}
    assert after == set(files)
    assert before == {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_a_dry_run_tells_and_takes_nothing(hosts: list[Path], tmp_path: Path) -> None:
    ledger = toy_ledger(tmp_path)
    ledger.create()
    told = ledger.merge(hosts, dry_run=True)
    assert [one.new for one in told] == [6, 5, 7]
    assert rows(ledger.place.file, "SELECT count(*) FROM events") == [(0,)]
    assert rows(ledger.place.file, "FROM merges") == []
    with pytest.raises(LedgerMissing):
        toy_ledger(tmp_path / "nowhere").merge(hosts, dry_run=True)


def test_progress_and_notes(hosts: list[Path], tmp_path: Path) -> None:
    ears = Ears()
    ledger = toy_ledger(tmp_path, ears)
    ledger.merge(hosts[:1])
    assert (ears.total, ears.steps) == (6, 6)
    assert rows(ledger.place.file, "SELECT source, new, known, contested FROM merges") == [
        (str(hosts[0]), 6, 0, 0)
    ]


def test_a_folder_of_ledgers(hosts: list[Path], tmp_path: Path) -> None:
    pool = tmp_path / "pool"
    pool.mkdir()
    for number, path in enumerate(hosts):
        shutil.copy(path, pool / f"{number}.duckdb")
    pooled, single = empty(tmp_path / "a"), empty(tmp_path / "b")
    pooled.merge([pool])
    single.merge(hosts)
    assert text_of(pooled) == text_of(single)


def test_what_waits_in_the_outbox_of_a_source_is_named(hosts: list[Path], tmp_path: Path) -> None:
    other = copied(toy_ledger(hosts[1].parent), tmp_path / "other")
    other.record([thing(99), thing(98)])
    ears = Ears()
    toy_ledger(tmp_path, ears).merge([other.place.file])
    assert any(remark.startswith("2 events wait in the outbox of") for remark in ears.remarks)
    assert len(outbox.waiting(other.place)) == 1


def test_two_merges_that_want_each_other(tmp_path: Path) -> None:
    """Locks are taken in one order; a source's lock is shared while it is read."""
    one, two = host(tmp_path / "one", 1, 1), host(tmp_path / "two", 2, 1)
    with two.place.locked(exclusive=False, wait=False):
        one.merge([two.place.file])
    two.merge([one.place.file])
    assert text_of(one) == text_of(two)


def test_a_source_whose_writer_was_killed(tmp_path: Path) -> None:
    """Its last events are in its log only; it is read, and left, as it is."""
    other = host(tmp_path / "other", 1, 2)
    other.record([thing(5)])
    code, _ = finish(start_writer(other.place.file.parent, "drain", point="after_commit"))
    assert code < 0
    before = other.place.file.read_bytes()
    ledger = toy_ledger(tmp_path)
    assert ledger.merge([other.place.file])[0].new == 3
    assert other.place.file.read_bytes() == before


def test_missing_empty_and_own(hosts: list[Path], tmp_path: Path) -> None:
    ledger = toy_ledger(tmp_path)
    ledger.merge(hosts[:1])
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("hello\n")
    for path, said in {
        "nowhere": "can't be read",
        "empty": "holds nothing that can be merged",
        "text": "is nothing that can be merged",
        "toy.duckdb": "is this ledger itself",
    }.items():
        with pytest.raises(SourceMissing, match=said):
            ledger.merge([tmp_path / path])
    none = toy_ledger(tmp_path / "none")
    none.create()
    assert "holds no events" in ledger.merge([none.place.file])[0].refused


DAMAGE = {
    "altered payload": "UPDATE events SET payload = '{}' WHERE seq = 1",
    "altered envelope": "UPDATE events SET host = 'other' WHERE seq = 1",
    "gap": "DELETE FROM events WHERE seq = 1",
    "duplicate": "INSERT INTO events FROM events WHERE seq = 1",
    "broken link": "UPDATE events SET prev_hash = repeat('0', 64) WHERE seq = 1",
    "altered blob": "UPDATE blobs SET body = 'x'::BLOB",
    "missing blob": "DELETE FROM blobs",
    "differs from the one that landed": "UPDATE schema_migrations SET digest = 'x'",
    "has schema 999": "INSERT INTO schema_migrations VALUES (999, 'x', 'x', 0)",
    "no ledger": "DROP TABLE schema_migrations",
    "lacks tables": "ALTER TABLE blobs RENAME TO hidden; CREATE VIEW blobs AS FROM hidden",
}


@pytest.mark.parametrize("said", DAMAGE)
def test_a_damaged_source_is_refused_whole(hosts: list[Path], tmp_path: Path, said: str) -> None:
    bad = tmp_path / "bad.duckdb"
    shutil.copy(hosts[1], bad)
    with plainly(bad) as con:
        con.execute(DAMAGE[said])
    ledger = toy_ledger(tmp_path)
    refused, taken = ledger.merge([bad, hosts[0]])
    assert said in refused.refused
    assert (refused.new, taken.new) == (0, 6)
    assert rows(ledger.place.file, "SELECT count(*) FROM events") == [(6,)]


def test_a_broken_file_is_refused(hosts: list[Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.duckdb"
    bad.write_bytes(hosts[1].read_bytes()[:5000])
    assert "can't be opened" in toy_ledger(tmp_path).merge([bad])[0].refused


def test_a_consistent_branch_with_a_newline_is_refused(hosts: list[Path], tmp_path: Path) -> None:
    """Set aside, such an event could pose as another one: its lines would be the same."""
    bad = tmp_path / "bad.duckdb"
    shutil.copy(hosts[1], bad)
    with plainly(bad) as con:
        con.execute("INSERT INTO conflicts SELECT * REPLACE (host || chr(10) AS host) FROM events")
    assert "altered envelope" in toy_ledger(tmp_path).merge([bad])[0].refused


def test_an_event_whose_facts_fail_is_merged_all_the_same(tmp_path: Path) -> None:
    other = host(tmp_path / "other", 1, 2)
    other.record([thing(5, colour="error"), thing(6, colour="red")])
    other.drain()
    ledger = toy_ledger(tmp_path)
    assert ledger.merge([other.place.file])[0].new == 4
    assert answers(ledger) == answers(other)
    assert len(rows(ledger.place.file, "FROM facts_failed")) == 1


def test_a_merge_that_fails_in_the_middle_leaves_nothing(
    hosts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise duckdb.IOException("No space left on device")

    ledger = toy_ledger(tmp_path)
    monkeypatch.setattr("ledger.merge._note", full)
    with pytest.raises(LedgerUnwritable, match="No space left"):
        ledger.merge(hosts[:1])
    monkeypatch.undo()
    assert rows(ledger.place.file, "SELECT count(*) FROM events") == [(0,)]
    assert ledger.merge(hosts[:1])[0].new == 6


def test_a_restored_copy_gets_its_own_later_events_back(tmp_path: Path) -> None:
    ledger = host(tmp_path / "one", 1, 2)
    old = copied(ledger, tmp_path / "old")
    add(ledger, 3)
    (merged,) = old.merge([ledger.place.file])
    assert [(one.new, one.known, one.forked_at) for one in merged.origins] == [(1, 2, None)]
    add(old, 4)
    with plainly(old.place.file, read_only=True) as con:
        assert quick_audit(con) == []


def test_a_new_origin_drains_first_and_starts_a_chain_of_its_own(tmp_path: Path) -> None:
    ledger = host(tmp_path / "one", 1, 2)
    copy = copied(ledger, tmp_path / "copy")
    copy.record([thing(3)])
    old, new = copy.new_origin()
    add(copy, 4)
    assert rows(copy.place.file, "SELECT origin, seq FROM events ORDER BY recorded_us") == [
        (old, 0), (old, 1), (old, 2), (new, 0),
    ]  # fmt: skip
    (merged,) = ledger.merge([copy.place.file])
    assert [one.forked_at for one in merged.origins] == [None, None]


def test_a_new_origin_is_refused_while_something_waits_that_cannot_move(tmp_path: Path) -> None:
    ledger = host(tmp_path / "one", 1, 1)
    (ledger.place.outbox / "0-bad.ndjson").write_text("{}\n")
    before = outbox.known_origin(ledger.place)
    with pytest.raises(LedgerUnwritable, match="could not be moved in"):
        ledger.new_origin()
    assert outbox.known_origin(ledger.place) == before
    with pytest.raises(LedgerMissing):
        toy_ledger(tmp_path / "nowhere").new_origin()


def test_a_change_of_origin_that_was_cut_short_is_finished(tmp_path: Path) -> None:
    ledger = host(tmp_path / "one", 1, 1)
    old = outbox.known_origin(ledger.place)
    new = "11111111-1111-4111-8111-111111111111"
    ledger.place.origin_file.write_text(f"{new}\nreplaces {old}\n")
    add(ledger, 2)
    assert rows(ledger.place.file, "SELECT origin FROM events ORDER BY recorded_us") == [
        (old,), (new,),
    ]  # fmt: skip
    assert ledger.place.origin_file.read_text() == f"{new}\n"
    ledger.place.origin_file.write_text(f"{old}\n")
    ledger.record([thing(3)])
    with pytest.raises(LedgerDamaged, match="belongs to origin"):
        ledger.drain()


HOLDER = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); input()"


def test_a_source_that_a_foreign_program_writes(hosts: list[Path], tmp_path: Path) -> None:
    ledger = toy_ledger(tmp_path)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(hosts[0])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert "another program holds it open" in ledger.merge(hosts[:1])[0].refused
        holder.communicate("\n")
    assert ledger.merge(hosts[:1])[0].refused == ""
