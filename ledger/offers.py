"""What can be merged: other ledgers, canonical JSONL and exported segments, each checked whole.

An offer is attached to the connection of the ledger that merges, as the database ``atlas_offer``
with the tables ``events``, ``conflicts`` and ``blobs``, whatever it was made of. Nothing of it is
written, and nothing is taken from it before every digest and link in it was recomputed.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from ledger import outbox, schema
from ledger.audit import audit_chain
from ledger.branches import Link, main_chain
from ledger.connection import ROW_GROUP, lock_down, reading
from ledger.errors import LedgerError, SourceDamaged
from ledger.place import LockBusy, Place
from ledger.reader import Reader
from ledger.statements import first, literal, statement

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    import duckdb
    import pyarrow as pa

    from ledger.observer import Observer

CLOSED = frozenset({"fork"})
"""Faults that don't keep a source out which holds each of its chains from the start."""

OPEN = frozenset({"fork", "gap", "broken link", "missing blob"})
"""The same for a source that continues what is here: links and blobs may lead there."""


class Offer(Protocol):
    """Something whose events can be merged."""

    @property
    def name(self) -> str:
        """As the user gave it."""

    @property
    def place(self) -> Place | None:
        """Where its lock and outbox are, if it is a ledger."""

    def attached(
        self, connection: duckdb.DuckDBPyConnection, observer: Observer
    ) -> AbstractContextManager[dict[str, int]]:
        """Attach it as ``atlas_offer``.

        Yields:
            Per origin, how many of its events were not even attached, since they are here.

        Raises:
            SourceDamaged: a digest, a link or the form of the source is wrong.
        """


class LedgerFile:
    """Another ledger. Its file is attached read-only; what waits in its outbox is only named.

    Waiting events have no place in their chain yet, and only their own ledger may give it to them.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.place: Place | None = Place(path.absolute())
        self._path = path.absolute()

    @contextmanager
    def attached(
        self, connection: duckdb.DuckDBPyConnection, observer: Observer
    ) -> Iterator[dict[str, int]]:
        """Attach it as ``atlas_offer``; see `Offer`."""
        self._name_waiting(observer)
        try:
            with reading(Place(self._path)) as other:
                schema.check(other)
                _check_tables(other)
                lock_down(other)
                refuse_faults(other, CLOSED)
        except LockBusy as error:
            raise SourceDamaged(
                f"{self.name}: another program holds it open", hint="close it, then merge again"
            ) from error
        except SourceDamaged as error:
            raise SourceDamaged(f"{self.name}: {error}", hint=error.hint) from error
        except LedgerError as error:
            raise SourceDamaged(str(error), hint=error.hint) from error
        attach = statement("offer_attach").replace("{file}", literal(str(self._path)))
        connection.execute(attach.replace("{row_group}", str(ROW_GROUP)))
        try:
            yield {}
        finally:
            connection.execute(statement("offer_detach"))

    def _name_waiting(self, observer: Observer) -> None:
        count = sum(outbox.count_events(path) for path in outbox.waiting(Place(self._path)))
        if count:
            observer.remark(
                f"{count} events wait in the outbox of {self.name} and are not merged: "
                f"`atlas --ledger {self.name} log` moves them in"
            )


@contextmanager
def scratch(
    connection: duckdb.DuckDBPyConnection,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty ledger in memory, attached as ``atlas_offer``, and a connection that writes it."""
    connection.execute(statement("offer_scratch"))
    try:
        inside = connection.cursor()
        try:
            inside.execute(statement("offer_use"))
            schema.migrate(inside)
            yield inside
        finally:
            inside.close()
    finally:
        connection.execute(statement("offer_detach"))


def load(inside: duckdb.DuckDBPyConnection, what: str, rows: pa.Table) -> None:
    """Add ``events`` or ``blobs`` to a scratch ledger.

    Raises:
        SourceDamaged: a value is missing or can't stand in a ledger.
    """
    import duckdb

    inside.register(f"offered_{what}", rows)
    try:
        inside.execute(statement(f"offer_{what}"))
    except duckdb.Error as error:
        said = str(error).splitlines()[0]
        raise SourceDamaged(f"its {what} can't stand in a ledger: {said}") from error
    finally:
        inside.unregister(f"offered_{what}")


def part_branches(inside: duckdb.DuckDBPyConnection) -> None:
    """Leave one branch of each forked origin in ``events`` and move the others to ``conflicts``."""
    for (origin,) in inside.execute(statement("offer_forked")).fetchall():
        rows = inside.execute(statement("offer_links"), [origin]).fetchall()
        links = [Link(*row) for row in rows]
        chain = main_chain(links)
        set_aside(inside, "offer_set_aside", [x.hash for x in links if x.hash not in chain])


def set_aside(connection: duckdb.DuckDBPyConnection, name: str, hashes: Collection[str]) -> None:
    """Run the statement ``name``, which reads ``loose_hashes``."""
    import pyarrow as pa

    rows = pa.table({"hash": pa.array(hashes, "string")})
    connection.register("loose_hashes", rows)
    connection.execute(statement(name))
    connection.unregister("loose_hashes")


def refuse_faults(connection: duckdb.DuckDBPyConnection, but: frozenset[str]) -> None:
    """Audit the ledger that ``connection`` reads.

    Raises:
        SourceDamaged: it has faults of other kinds than ``but``; the first one is named.
    """
    found = audit_chain(Reader(connection)).rows
    faults = [row for row in found if row[0] == "fault" and row[1] not in but]
    if faults:
        _, fault, origin, seq, _, detail = faults[0]
        where = f" at origin {origin} seq {seq}" if origin else ""
        kinds = ", ".join(sorted({row[1] for row in faults[1:]}))
        more = f" (and {len(faults) - 1} more: {kinds})" if kinds else ""
        raise SourceDamaged(
            f"{fault}{where}: {detail}{more}",
            hint="nothing of it was merged; get a sound copy",
            fault=fault,
        )


def _check_tables(connection: duckdb.DuckDBPyConnection) -> None:
    row = first(connection, "offer_tables")
    if row != (3,):
        raise SourceDamaged("it lacks tables that every ledger has")
