"""Opening the database: one way to write it, one way to read it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ledger import schema
from ledger.errors import (
    LedgerDamaged,
    LedgerError,
    LedgerMissing,
    LedgerTooNew,
    LedgerUnwritable,
)
from ledger.place import LockBusy, Place
from ledger.statements import literal, statement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

_STORAGE = "v1.5.0"
"""Read and written by DuckDB 1.5 and 2.0 alike; newer defaults are not."""

ROW_GROUP = 12_288
"""Rows of a row group, a multiple of 2 048. A transaction that adds as many events goes into the
file as it stands: no write-ahead log, and no half-full row group to write again. DuckDB's own
122 880 would need six times the memory for that."""

_READER_MEMORY = "4GB"


@contextmanager
def writing(place: Place) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that may write; the caller holds the exclusive lock.

    Raises:
        LedgerError: the file is no ledger, is too new, or can't be opened or written.
        LockBusy: a program that doesn't know of the lock holds the database.
    """
    import duckdb

    # The write-ahead log is made at the first change, so the mask holds as long as the connection.
    mask = os.umask(0o077)
    try:
        _make(place)
        connection = _attach(place, "attach_writer")
        try:
            connection.execute(statement("settings"))
            connection.execute(statement("writer_settings"))
            yield connection
        except (
            duckdb.IOException,
            duckdb.TransactionException,
            duckdb.OutOfMemoryException,
            duckdb.FatalException,
        ) as error:
            raise _unwritten(place, error) from error
        finally:
            connection.close()
    finally:
        os.umask(mask)


@contextmanager
def reading(place: Place) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection; the caller holds the shared lock and calls `lock_down` when ready.

    Raises:
        LedgerMissing: there is no file.
        LedgerError: the file is no ledger, is too new, or can't be opened.
        LockBusy: a program that doesn't know of the lock holds the database.
    """
    if not place.file.exists():
        raise LedgerMissing(
            f"no ledger at {place.file}", hint="record something, or run `atlas init`"
        )
    connection = _attach(place, "attach_reader")
    try:
        connection.execute(statement("settings"))
        yield connection
    finally:
        connection.close()


@contextmanager
def second(connection: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Another connection to what a `writing` one has attached, for another thread."""
    own = connection.cursor()
    try:
        own.execute(statement("use_attached"))
        yield own
    finally:
        own.close()


@contextmanager
def in_memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a ledger that lives as long as the ``with`` block."""
    import duckdb

    connection = duckdb.connect(":memory:")
    try:
        connection.execute(statement("settings"))
        yield connection
    finally:
        connection.close()


def lock_down(connection: duckdb.DuckDBPyConnection) -> None:
    """Take away files, network and settings from a connection, for good."""
    connection.execute(statement("lock_down"))


def _make(place: Place) -> None:
    """Make the database under another name: what has its name is a ledger from the start."""
    if place.file.exists():
        return
    draft = place.file.with_name(f".{place.file.name}.new")
    draft.unlink(missing_ok=True)
    connection = _open(place, draft, config={"storage_compatibility_version": _STORAGE})
    try:
        schema.migrate(connection)
    finally:
        connection.close()
    draft.rename(place.file)


def _attach(place: Place, how: str) -> duckdb.DuckDBPyConnection:
    """A connection to the ledger as an attached database: only those have a size of row groups.

    Readers want it too: DuckDB gives a thread to each row group of the size it was told.
    """
    config = {"temp_directory": f"{place.file}.tmp", "memory_limit": _READER_MEMORY}
    connection = _open(place, None, config=config)
    attach = statement(how).replace("{file}", literal(str(place.file)))
    try:
        with _refusals(place):
            connection.execute(attach.replace("{row_group}", str(ROW_GROUP)))
            connection.execute(statement("use_attached"))
    except BaseException:
        connection.close()
        raise
    return connection


def _open(place: Place, file: Path | None, **how: Any) -> duckdb.DuckDBPyConnection:
    import duckdb

    with _refusals(place):
        return duckdb.connect(str(file or ":memory:"), **how)


@contextmanager
def _refusals(place: Place) -> Iterator[None]:
    """Turn what DuckDB says when it can't open a file into this project's errors."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise _refusal(place, error) from error


def _unwritten(place: Place, error: duckdb.Error) -> LedgerUnwritable:
    return LedgerUnwritable(
        f"cannot write {place.file}: {str(error).splitlines()[0]}",
        hint="what was recorded waits in the outbox; free some space and run any command",
    )


def _refusal(place: Place, error: duckdb.Error) -> LedgerError | LockBusy:
    text = str(error)
    if "lock on file" in text:
        return LockBusy(text)
    first = text.splitlines()[0] if text else type(error).__name__
    if "Could not write" in text or "No space left" in text:
        return _unwritten(place, error)
    if "version number" in text or "newer version" in text:
        return LedgerTooNew(
            f"{place.file} was written in a newer format than this DuckDB reads",
            hint="upgrade duckdb (pip install -U duckdb)",
        )
    if "Permission denied" in text or "Read-only file system" in text:
        return LedgerError(f"{place.file} can't be opened: {first}", hint="check its permissions")
    return LedgerDamaged(
        f"{place.file} can't be opened as a ledger: {first}",
        hint="choose another file with --ledger, or restore this one from a copy",
    )
