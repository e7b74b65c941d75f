"""Many events at once: appended from memory while more are added, and never only there."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.auditing import KNOWN, quick_audit
from support.processes import finish, start_writer
from support.reference_audit import slow_audit
from support.toy import imported, plainly, rows, thing, toy_ledger

from ledger import intake, outbox
from ledger.store import Ledger


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "_FULL_BATCH", 10)
    monkeypatch.setattr(intake, "_MANY", 5)
    monkeypatch.setattr(intake, "ROW_GROUP", 20)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    return toy_ledger(tmp_path)


def assert_sound(ledger: Ledger, sizes: list[int]) -> None:
    assert outbox.waiting(ledger.place) == []
    found = rows(
        ledger.place.file, "SELECT e.seq, t.size FROM thing t JOIN events e USING (event_id)"
    )
    assert [size for _, size in sorted(found)] == sizes
    with plainly(ledger.place.file) as con:
        assert quick_audit(con) == slow_audit(con, KNOWN) == []


def test_all_are_appended_once_and_in_their_order(ledger: Ledger) -> None:
    ids, new = [], []
    with ledger.intake() as taking:
        for number in range(57):
            ids.append(taking.add(thing(number), {}))
            new += [event_id for one in taking.appended() for event_id in one.new]
    new += [event_id for one in taking.appended() for event_id in one.new]
    assert new == ids
    assert_sound(ledger, list(range(57)))


def test_few_events_wait_for_the_drain_at_the_end(ledger: Ledger) -> None:
    with ledger.intake() as taking:
        taking.add(thing(1), {})
        assert not ledger.place.file.exists()
    assert_sound(ledger, [1])


def test_what_is_known_is_told_and_not_doubled(ledger: Ledger) -> None:
    for known in (0, 30):
        with ledger.intake() as taking:
            for number in range(30):
                taking.add(imported(number), {})
        told = list(taking.appended())
        assert sum(len(one.known) for one in told) == known
        assert sum(len(one.new) for one in told) == 30 - known
    assert rows(ledger.place.file, "SELECT count(*) FROM events") == [(30,)]


def test_a_ledger_that_is_held_leaves_all_in_the_outbox(ledger: Ledger) -> None:
    ledger.create()
    with ledger.place.locked(exclusive=True, wait=True):
        with ledger.intake() as taking:
            for number in range(45):
                taking.add(thing(number), {})
        assert [one.new for one in taking.appended()] == [()]
        assert ledger.waiting_events() == 45
    ledger.drain()
    assert_sound(ledger, list(range(45)))


def test_what_was_added_before_an_error_is_kept(ledger: Ledger) -> None:
    def interrupted() -> None:
        with ledger.intake() as taking:
            for number in range(33):
                taking.add(thing(number), {})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    ledger.drain()
    assert_sound(ledger, list(range(33)))


@pytest.mark.parametrize("point", ["before_commit", "after_commit"])
def test_killed_in_the_middle_nothing_durable_is_lost_or_doubled(
    ledger: Ledger, tmp_path: Path, point: str
) -> None:
    code, out = finish(start_writer(tmp_path, "intake", "0", "200", point=point))
    assert code == -signal.SIGKILL
    ledger.drain(wait=True)
    found = [size for (size,) in rows(ledger.place.file, "SELECT size FROM thing ORDER BY size")]
    assert found == list(range(len(found)))
    assert len(found) >= len(out.split()) // 10 * 10 > 0
    assert_sound(ledger, found)
