"""Folders, disks and files that are not as one would wish."""

import contextlib
import os
import random
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from support.toy import Ears, plainly, rows, thing, toy_catalog, toy_ledger

from ledger import outbox
from ledger.envelope import Draft
from ledger.errors import LedgerDamaged, LedgerMissing, LedgerTooNew, LedgerUnwritable
from ledger.store import Ledger


@pytest.fixture
def ears() -> Ears:
    return Ears()


@pytest.fixture
def ledger(tmp_path: Path, ears: Ears) -> Ledger:
    ledger = toy_ledger(tmp_path, ears)
    ledger.record([thing(1)])
    ledger.drain()
    return ledger


def count(ledger: Ledger) -> int:
    with ledger.reader() as reader:
        return int(reader.ask("SELECT count(*) FROM size_of").rows[0][0])


@contextlib.contextmanager
def files_no_larger_than(n_bytes: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    size = f"size={megabytes}m"
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mount.returncode:
        pytest.skip("no right to mount a small disk here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> Path:
    path = folder / "filler"
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(b"x" * 4096):
            pass
    return path


def noisy(number: int) -> list[Draft]:
    return [thing(number, noise=random.Random(number).randbytes(20_000).hex())]


def test_a_full_disk_loses_nothing_and_reading_goes_on(tmp_path: Path, ears: Ears) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 3):
        ledger = toy_ledger(disk, ears)
        recorded = 0
        told = None
        while told is None:
            try:
                ledger.record(noisy(recorded))
            except LedgerUnwritable as error:
                told = error
            else:
                recorded += 1
                if recorded % 10 == 0:
                    ledger.drain()
        assert "No space left" in str(told)
        assert told.exit_code == 3
        assert 10 <= recorded < 1000
        waiting = ledger.drain().waiting
        assert 0 < waiting < recorded
        assert f"{waiting} recorded events wait in the outbox" in ears.remarks[-1]
        assert all("\n" not in text for text in ears.remarks)
        assert count(ledger) == recorded - waiting
        with pytest.raises(LedgerUnwritable, match="cannot write"):
            ledger.drain(wait=True)
        subprocess.run(["mount", "-o", "remount,size=40m", str(disk)], check=True)
        assert count(ledger) == recorded
        assert outbox.waiting(ledger.place) == []
        assert [path for path in ledger.place.outbox.iterdir() if path.name != "origin"] == []


def test_a_ledger_that_finds_no_room_to_begin_leaves_no_half_of_one(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 1):
        ledger = toy_ledger(disk)
        ledger.record([thing(1)])
        filler = fill(disk)
        with pytest.raises(LedgerUnwritable, match="cannot write"):
            ledger.create()
        assert not ledger.place.file.exists()
        with pytest.raises(LedgerMissing, match="waits in its outbox"), ledger.reader():
            pass
        filler.unlink()
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        assert count(ledger) == 1


def test_files_that_may_not_grow(ledger: Ledger, ears: Ears) -> None:
    for number in range(10, 30):
        ledger.record(noisy(number))
    with files_no_larger_than(300_000):
        assert ledger.drain().waiting == 20
        with pytest.raises(LedgerUnwritable, match="File too large"):
            ledger.record([thing(2, noise="x" * 10**7)])
        assert "20 recorded events wait" in ears.remarks[-1]
    assert [path for path in ledger.place.outbox.iterdir() if path.name.endswith(".tmp")] == []
    assert count(ledger) == 21


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody can write there: by a read-only disk for root, by permissions for everybody else."""
    if os.geteuid() == 0:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        yield
        return
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o500 if path.is_dir() else 0o400)
    yield
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)


def test_a_folder_that_can_not_be_written(tmp_path: Path, ears: Ears) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with small_disk(disk, 20) if os.geteuid() == 0 else contextlib.nullcontext():
        ledger = toy_ledger(disk, ears)
        ledger.record([thing(1)])
        ledger.drain()
        ledger.record([thing(2)])
        with read_only(disk):
            assert count(ledger) == 1
            assert "can't be written: 1 recorded events wait in the outbox" in ears.remarks[-1]
            for refused in (lambda: ledger.record([thing(3)]), ledger.rebuild, ledger.create):
                with pytest.raises(LedgerUnwritable) as told:
                    refused()
                assert told.value.exit_code == 3
                assert "--ledger" in told.value.hint


def test_nothing_was_ever_recorded(tmp_path: Path) -> None:
    with pytest.raises(LedgerMissing, match="no ledger at"), toy_ledger(tmp_path).reader():
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_of_a_newer_schema(ledger: Ledger) -> None:
    with plainly(ledger.place.file) as con:
        con.execute("INSERT INTO schema_migrations VALUES (9, 'later', 'x', 0)")
    ledger.record([thing(2)])
    with pytest.raises(LedgerTooNew) as told, ledger.reader():
        pass
    assert str(told.value).startswith("the ledger has schema 9, this version knows ")
    assert told.value.exit_code == 3
    assert "upgrade" in told.value.hint
    with pytest.raises(LedgerTooNew):
        ledger.rebuild()
    assert len(outbox.waiting(ledger.place)) == 1
    assert rows(ledger.place.file, "SELECT count(*) FROM events") == [(1,)]


def test_a_migration_that_is_not_the_one_that_landed(ledger: Ledger) -> None:
    with plainly(ledger.place.file) as con:
        con.execute("UPDATE schema_migrations SET digest = 'x'")
    with pytest.raises(LedgerDamaged, match=r"migration 1 .* differs"), ledger.reader():
        pass


@pytest.mark.parametrize("content", [b"no database", b"x" * 20_000, b"\0" * 20_000])
def test_a_file_that_is_no_database(tmp_path: Path, content: bytes) -> None:
    ledger = toy_ledger(tmp_path)
    ledger.record([thing(1)])
    ledger.place.file.write_bytes(content)
    with pytest.raises(LedgerDamaged, match="can't be opened as a ledger") as told, ledger.reader():
        pass
    assert "\n" not in f"{told.value}{told.value.hint}"
    assert ledger.place.file.read_bytes() == content
    assert len(outbox.waiting(ledger.place)) == 1


def test_a_cut_off_database(ledger: Ledger) -> None:
    os.truncate(ledger.place.file, 9000)
    with pytest.raises(LedgerDamaged), ledger.reader():
        pass


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    ledger = toy_ledger(tmp_path)
    with plainly(ledger.place.file) as con:
        con.execute("CREATE TABLE groceries (item VARCHAR)")
    with pytest.raises(LedgerDamaged, match="no ledger"), ledger.reader():
        pass
    for refused in (lambda: ledger.record([thing(1)]), ledger.create, ledger.rebuild):
        with pytest.raises(LedgerDamaged, match="no ledger"):
            refused()
    tables = rows(ledger.place.file, "SELECT table_name FROM duckdb_tables()")
    assert tables == [("groceries",)]


def test_a_folder_in_place_of_the_ledger(tmp_path: Path) -> None:
    ledger = toy_ledger(tmp_path)
    ledger.record([thing(1)])
    ledger.place.file.mkdir()
    with pytest.raises(LedgerDamaged, match="can't be opened"), ledger.reader():
        pass


HOLD = (
    "import duckdb, sys\n"
    "con = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == 'r')\n"
    "print('open', flush=True)\n"
    "sys.stdin.read()\n"
)


@contextlib.contextmanager
def held(path: Path, how: str) -> Iterator[None]:
    """Another program, which knows nothing of ledgers, has the file open."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    try:
        yield
    finally:
        process.communicate("")


def test_a_plain_program_that_writes_holds_the_file(ledger: Ledger, ears: Ears) -> None:
    ledger.record([thing(2)])
    with held(ledger.place.file, "w"):
        assert ledger.drain().waiting == 1
        assert "1 recorded events wait" in ears.remarks[-1]
        with pytest.raises(LedgerUnwritable, match="another program holds"), ledger.reader():
            pass
        with pytest.raises(LedgerUnwritable, match="another program holds"):
            ledger.rebuild()
        ledger.record([thing(3)])
    assert count(ledger) == 3


def test_a_plain_program_that_reads_holds_the_file(ledger: Ledger, ears: Ears) -> None:
    ledger.record([thing(2)])
    with held(ledger.place.file, "r"):
        assert count(ledger) == 1
        assert "1 recorded events wait" in ears.remarks[-1]
    assert count(ledger) == 2


def test_a_reader_that_stays_makes_a_drain_wait_its_turn(ledger: Ledger, ears: Ears) -> None:
    with ledger.reader() as reader:
        ledger.record([thing(2)])
        assert ledger.drain().waiting == 1
        assert reader.ask("SELECT count(*) FROM size_of").rows == [(1,)]
    assert "another process holds the ledger: 1 recorded events wait" in ears.remarks[-1]
    assert count(ledger) == 2


def test_a_copy_of_the_file_alone_is_a_ledger(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    copy = Ledger(tmp_path / "copy" / "toy.duckdb", toy_catalog())
    copy.place.file.write_bytes(ledger.place.file.read_bytes())
    assert count(copy) == 1
    copy.record([thing(5)])
    assert count(copy) == 2


def test_the_file_is_written_so_that_older_and_newer_programs_read_it(ledger: Ledger) -> None:
    with plainly(ledger.place.file, read_only=True) as con:
        tags = con.execute(
            "SELECT tags['storage_version'] FROM duckdb_databases() WHERE NOT internal"
        ).fetchall()
        stored = con.execute(
            "SELECT DISTINCT compression FROM pragma_storage_info('events')"
            " WHERE column_name = 'payload' AND segment_type = 'VARCHAR'"
        ).fetchall()
    assert tags
    assert "v1.5" in str(tags[0][0])
    assert stored
    assert isinstance(duckdb.__version__, str)
