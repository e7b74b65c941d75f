"""Real processes that are killed: nothing that was durable is lost or doubled."""

import random
import shutil
import signal
import time
from pathlib import Path

import pytest
from support.auditing import KNOWN, quick_audit
from support.processes import finish, start_writer
from support.reference_audit import slow_audit
from support.toy import plainly, rows, thing, toy_ledger

from ledger import outbox


def sizes(path: Path) -> list[int]:
    return [size for (size,) in rows(path, "SELECT size FROM thing ORDER BY size")]


def assert_whole(folder: Path, numbers: list[int]) -> None:
    """Exactly these things are in the ledger, once each, in facts and events, in a sound chain."""
    ledger = toy_ledger(folder)
    ledger.drain(wait=True)
    assert outbox.waiting(ledger.place) == []
    assert sizes(ledger.place.file) == numbers
    with plainly(ledger.place.file) as con:
        assert con.execute("SELECT count(*) FROM events").fetchall() == [(len(numbers),)]
        assert quick_audit(con) == slow_audit(con, KNOWN) == []


@pytest.mark.parametrize(
    "point",
    [
        "after_make",
        "after_schema",
        "after_read",
        "before_commit",
        "after_commit",
        "before_unlink",
        "after_first_unlink",
    ],
)
def test_a_drain_killed_at_a_named_point(tmp_path: Path, point: str) -> None:
    ledger = toy_ledger(tmp_path)
    for number in range(4):
        ledger.record([thing(number), thing(number + 10)])
    code, _ = finish(start_writer(tmp_path, "drain", point=point))
    assert code == -signal.SIGKILL
    assert_whole(tmp_path, [0, 1, 2, 3, 10, 11, 12, 13])


@pytest.mark.parametrize("point", ["after_make", "after_schema"])
def test_a_ledger_whose_making_was_killed_can_be_read_and_recorded_to(
    tmp_path: Path, point: str
) -> None:
    ledger = toy_ledger(tmp_path)
    ledger.record([thing(1)])
    code, _ = finish(start_writer(tmp_path, "drain", point=point))
    assert code == -signal.SIGKILL
    (batch,) = outbox.waiting(ledger.place)
    shutil.rmtree(batch.parent)
    with ledger.reader() as reader:
        assert reader.ask("SELECT count(*) FROM size_of").rows == [(0,)]
    ledger.record([thing(2)])
    assert_whole(tmp_path, [2])


@pytest.mark.parametrize(("point", "kept"), [("before_rename", []), ("after_rename", [0])])
def test_a_recording_killed_at_a_named_point_is_there_as_a_whole_or_not_at_all(
    tmp_path: Path, point: str, kept: list[int]
) -> None:
    ledger = toy_ledger(tmp_path)
    outbox.mint_origin(ledger.place)
    code, out = finish(start_writer(tmp_path, "record", "0", "3", point=point))
    assert (code, out) == (-signal.SIGKILL, "")
    ledger.record([thing(7)])
    assert_whole(tmp_path, [*kept, 7])


def test_a_refill_killed_in_the_middle_starts_again(tmp_path: Path) -> None:
    ledger = toy_ledger(tmp_path)
    ledger.record([thing(number) for number in range(23)])
    ledger.drain()
    code, _ = finish(start_writer(tmp_path, "rebuild", point="mid_refill"))
    assert code == -signal.SIGKILL
    assert len(sizes(ledger.place.file)) < 23
    with ledger.reader() as reader:
        assert reader.ask("SELECT count(*) FROM thing").rows == [(23,)]
        assert reader.ask("SELECT count(*) FROM size_of").rows == [(23,)]
    ledger.record([thing(23)])
    assert_whole(tmp_path, list(range(24)))


def test_the_log_a_killed_writer_left_is_read(tmp_path: Path) -> None:
    """The killed writer committed, but never moved its log into the file."""
    ledger = toy_ledger(tmp_path)
    ledger.record([thing(number) for number in range(5)])
    finish(start_writer(tmp_path, "drain", point="after_commit"))
    log = ledger.place.file.with_name("toy.duckdb.wal")
    assert log.stat().st_size > 0
    assert log.stat().st_mode & 0o777 == 0o600
    for batch in outbox.waiting(ledger.place):
        batch.unlink()
    with ledger.reader() as reader:
        assert reader.ask("SELECT count(*), max(size) FROM size_of").rows == [(5, 4)]
    assert_whole(tmp_path, [0, 1, 2, 3, 4])


def test_writers_killed_at_random_lose_and_double_nothing(tmp_path: Path) -> None:
    dice = random.Random(7)
    durable: list[int] = []
    for turn in range(6):
        process = start_writer(tmp_path, "both", str(turn * 1000), "400")
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(dice.randrange(1, 12))]
        time.sleep(dice.random() * 0.05)
        process.kill()
        code, rest = finish(process)
        assert code == -signal.SIGKILL
        durable += [int(line) for line in [*said, *rest.split()]]
    ledger = toy_ledger(tmp_path)
    ledger.drain(wait=True)
    found = sizes(ledger.place.file)
    assert set(durable) <= set(found)
    assert len(found) - len(durable) <= 6  # a kill may come between the rename and the report
    assert_whole(tmp_path, sorted(set(found)))


def test_two_writers_and_a_reader_at_once(tmp_path: Path) -> None:
    writers = [start_writer(tmp_path, "both", str(first), "40") for first in (0, 1000)]
    ledger = toy_ledger(tmp_path)
    ledger.record([thing(5000)])
    seen = []
    while any(process.poll() is None for process in writers):
        with ledger.reader() as reader:
            seen += [row[0] for row in reader.ask("SELECT count(*) FROM size_of").rows]
    assert [finish(process)[0] for process in writers] == [0, 0]
    assert seen == sorted(seen)
    assert_whole(tmp_path, [*range(40), *range(1000, 1040), 5000])
