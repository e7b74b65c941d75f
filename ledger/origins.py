"""The origin of a ledger: one stream of events per file, known to the database and the outbox."""

from __future__ import annotations

import fcntl
import os
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ledger import outbox
from ledger.errors import LedgerDamaged
from ledger.place import unwritable
from ledger.statements import first, statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from ledger.place import Place

_REPLACES = "replaces "


@contextmanager
def held(place: Place, *, exclusive: bool = False) -> Iterator[None]:
    """Keep the origin as it is while something is recorded, or keep recorders out of a change.

    The lock is on the outbox folder. Where a file system has no such locks it does nothing.
    """
    handle = -1
    try:
        handle = os.open(place.outbox, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(handle, fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH)
    except OSError:
        pass
    try:
        yield
    finally:
        if handle >= 0:
            os.close(handle)


def settle(connection: duckdb.DuckDBPyConnection, place: Place) -> str:
    """The origin of the ledger that ``connection`` writes; made, or a change finished, if needed.

    Raises:
        LedgerDamaged: the outbox belongs to another ledger.
    """
    row = first(connection, "origin")
    stated = outbox.known_origin(place)
    if row is None:
        origin = stated or outbox.mint_origin(place, str(uuid.uuid4()))
        connection.execute(statement("set_origin"), [origin])
        return origin
    origin = str(row[0])
    if stated is None:
        outbox.mint_origin(place, origin)
    elif stated != origin:
        if _replaced(place) != origin:
            raise LedgerDamaged(
                f"the outbox beside {place.file} belongs to origin {stated}, "
                f"the ledger is {origin}",
                hint="put the ledger and its .outbox folder together as they were",
            )
        _finish(connection, place, stated)
        return stated
    return origin


def replace(connection: duckdb.DuckDBPyConnection, place: Place, old: str) -> str:
    """Give the ledger a new origin; the caller holds its lock and that of an empty outbox.

    The outbox goes first and remembers what it replaces, so that `settle` finishes a change that
    was cut short.
    """
    new = str(uuid.uuid4())
    _write(place, f"{new}\n{_REPLACES}{old}\n")
    _finish(connection, place, new)
    return new


def _finish(connection: duckdb.DuckDBPyConnection, place: Place, new: str) -> None:
    connection.begin()
    connection.execute(statement("forget_origin"))
    connection.execute(statement("set_origin"), [new])
    connection.commit()
    _write(place, f"{new}\n")


def _replaced(place: Place) -> str | None:
    lines = place.origin_file.read_text().splitlines()
    return lines[1].removeprefix(_REPLACES) if len(lines) > 1 else None


def _write(place: Place, text: str) -> None:
    try:
        outbox.write_durably(place.origin_file, [text.encode()])
    except OSError as error:
        raise unwritable(place.origin_file, error) from error
