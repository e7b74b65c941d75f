"""Draining: what waits in the outbox enters the database, exactly once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ledger import facts, origins, outbox, schema
from ledger.append import Appended, append
from ledger.connection import ROW_GROUP, writing
from ledger.refill import refill
from ledger.statements import statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import duckdb

    from ledger.catalog import Catalog
    from ledger.observer import Observer
    from ledger.place import Place

_BYTES_AT_ONCE = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Drained:
    """What a drain did.

    Attributes:
        appended: new, known and failed events.
        waiting: events still in the outbox, because the ledger could not be written now.
        damaged: batch files put aside.
    """

    appended: Appended = field(default_factory=Appended)
    waiting: int = 0
    damaged: tuple[Path, ...] = ()


def drain(place: Place, catalog: Catalog, observer: Observer) -> Drained:
    """Move every waiting batch into the database; the caller holds the exclusive lock.

    Creates the database if there is none, brings its schema, facts and views to this version. A
    damaged batch is put aside and reported; the others go on.

    Raises:
        LedgerError: the database can't be opened or written; the batches stay where they are.
    """
    with writing(place) as connection:
        origin = prepare(connection, place, catalog)
        total = Appended()
        bad: list[Path] = []
        paths = outbox.waiting(place)
        observer.begin("draining", len(paths))
        for group in _groups(paths):
            batches, read = _read_group(place, origin, group, bad)
            if batches:
                total += move_in(connection, catalog, batches, read)
            observer.advance(len(group))
        observer.end()
    return Drained(total, 0, tuple(bad))


def move_in(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    batches: Sequence[outbox.Batch],
    paths: Sequence[Path],
) -> Appended:
    """Append batches of this ledger in one transaction; their files go when it is committed."""
    blobs = {digest: body for batch in batches for digest, body in batch.blobs.items()}
    appended = append(connection, catalog, outbox.sequence(batches), blobs, catalog.facts)
    for path in paths:
        path.unlink(missing_ok=True)
    return appended


def prepare(connection: duckdb.DuckDBPyConnection, place: Place, catalog: Catalog) -> str:
    """Bring a writing connection's schema, origin, facts and views to this version.

    Returns:
        The ledger's origin.
    """
    schema.migrate(connection)
    origin = origins.settle(connection, place)
    bring_up_to_date(connection, catalog)
    return origin


def bring_up_to_date(connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> None:
    """Refill facts and redefine views whose files are not the ones this ledger was made with."""
    refill(connection, catalog, facts.stale(connection, catalog))
    made = dict(connection.execute(statement("catalog_state")).fetchall())
    if made.get("definitions") != catalog.digest:
        connection.begin()
        catalog.define(connection, temporary=False)
        connection.execute(statement("forget_state"), ["definitions"])
        connection.execute(statement("note_state"), ["definitions", catalog.digest])
        connection.commit()


def _groups(paths: list[Path]) -> Iterator[list[Path]]:
    """Batches that fit into one transaction: bounded in events and bytes, never empty."""
    group: list[Path] = []
    events = size = 0
    for path in paths:
        more = outbox.count_events(path)
        weight = path.stat().st_size if path.exists() else 0
        if group and (events + more > ROW_GROUP or size + weight > _BYTES_AT_ONCE):
            yield group
            group, events, size = [], 0, 0
        group.append(path)
        events += more
        size += weight
    if group:
        yield group


def _read_group(
    place: Place, origin: str, paths: list[Path], bad: list[Path]
) -> tuple[list[outbox.Batch], list[Path]]:
    """The batches that are what was written here; the others are put aside."""
    batches: list[outbox.Batch] = []
    read: list[Path] = []
    for path in paths:
        try:
            batch = outbox.read_batch(path, origin)
        except FileNotFoundError:
            continue
        except outbox.BatchDamaged:
            outbox.put_aside(place, path)
            bad.append(place.damaged / path.name)
        else:
            batches.append(batch)
            read.append(path)
    return batches, read
