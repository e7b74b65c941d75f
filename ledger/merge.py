"""Merging: the union of events by hash, with one truth whatever the order.

Where two branches of an origin differ, every event from the first difference on, of each branch, is
contested: it is kept, and takes part in no verdict. One branch lies in ``events``, the others in
``conflicts``; which one means nothing, since facts and views cover both. No clock decides anything.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ledger import facts
from ledger.branches import Link, continuing
from ledger.connection import ROW_GROUP
from ledger.drain import bring_up_to_date
from ledger.envelope import GENESIS
from ledger.errors import LedgerError, LedgerUnwritable, SourceDamaged
from ledger.offers import set_aside
from ledger.statements import first, statement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import duckdb

    from ledger.catalog import Catalog, Fact
    from ledger.observer import Observer
    from ledger.offers import Offer

_EVENTS_AT_ONCE = 2 * ROW_GROUP


@dataclass(frozen=True, slots=True)
class OriginMerged:
    """What a source held of one origin.

    Attributes:
        new: events that were not here.
        known: events that were.
        contested: events of the origin that lie on branches of a fork, here and new.
        forked_at: first seq where branches differ; None without a fork.
    """

    origin: str
    new: int
    known: int
    contested: int = 0
    forked_at: int | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge took from one source.

    Attributes:
        source: as the user named it.
        origins: one entry for each origin it holds.
        blobs: blobs that were not here.
        refused: why nothing of it was taken; empty when it was.
    """

    source: str
    origins: tuple[OriginMerged, ...] = ()
    blobs: int = 0
    refused: str = ""

    @property
    def new(self) -> int:
        """Events that were not here."""
        return sum(origin.new for origin in self.origins)


def merge(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    offer: Offer,
    observer: Observer,
    *,
    dry_run: bool,
) -> Merged:
    """Take from ``offer`` what is not here, all in one transaction.

    Args:
        connection: to the ledger; the caller holds its lock and that of the offer.
        catalog: the facts to derive.
        offer: where the events come from.
        observer: sees the events go by.
        dry_run: only look; ``connection`` may be read-only then.

    Returns:
        What was taken, or why nothing was.
    """
    try:
        with offer.attached(connection, observer) as passed_over:
            origins, repeated = _compare(connection, passed_over)
            blobs = first(connection, "merge_count_blobs")
            merged = Merged(offer.name, origins, blobs[0] if blobs else 0)
            if not origins:
                return Merged(offer.name, refused=f"{offer.name} holds no events")
            if not dry_run and (merged.new or merged.blobs):
                _take(connection, catalog, merged, observer, repeated=repeated)
            return merged
    except SourceDamaged as error:
        return Merged(offer.name, refused=f"{error} ({error.hint})" if error.hint else str(error))


def _take(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    merged: Merged,
    observer: Observer,
    *,
    repeated: bool,
) -> None:
    connection.execute(statement("merge_settings"))
    connection.execute(statement("merge_arrived"))
    stages = [] if repeated else _stages(connection, catalog, observer)
    _store(connection, catalog, merged, stages, forget=repeated)
    observer.end()
    if repeated:
        bring_up_to_date(connection, catalog)


def _compare(
    connection: duckdb.DuckDBPyConnection, passed_over: Mapping[str, int]
) -> tuple[tuple[OriginMerged, ...], bool]:
    """Find what arrives and where branches part; sort the arriving events into the two tables.

    Returns:
        The counts per origin, and whether an event stands in two branches at different places.
    """
    connection.execute(statement("merge_arriving"), [_EVENTS_AT_ONCE])
    origins = connection.execute(statement("merge_origins")).fetchall()
    parted = False
    for origin, _, _, head, forked in origins:
        if forked:
            parted = True
            rows = connection.execute(statement("merge_links"), [origin]).fetchall()
            links = [Link(*row) for row in rows]
            chain = continuing(head or GENESIS, links)
            set_aside(connection, "merge_set_aside", [x.hash for x in links if x.hash not in chain])
    _refuse_unlinked(connection)
    contested = {
        origin: (seq, count)
        for origin, seq, count in connection.execute(statement("merge_contested")).fetchall()
    }
    counts = {origin: (new, known) for origin, new, known, _, _ in origins}
    found = []
    for origin in sorted({*counts, *passed_over}):
        new, known = counts.get(origin, (0, 0))
        forked_at, count = contested.get(origin, (None, 0))
        known += passed_over.get(origin, 0)
        found.append(OriginMerged(origin, new, known, count, forked_at))
    return tuple(found), parted and first(connection, "merge_repeated") is not None


def _refuse_unlinked(connection: duckdb.DuckDBPyConnection) -> None:
    loose = first(connection, "merge_unlinked")
    if loose:
        origin, seq, event_id = loose
        raise SourceDamaged(
            f"event {event_id} at origin {origin} seq {seq} follows an event that is nowhere",
            hint="nothing of it was merged; get the earlier part too",
            fault="gap",
        )


def _stages(
    connection: duckdb.DuckDBPyConnection, catalog: Catalog, observer: Observer
) -> list[Callable[[], Sequence[Fact]]]:
    """Steps that stage the arriving events, some at a time, and tell which facts they have."""
    batches = connection.execute(statement("merge_batches")).fetchall()
    observer.begin("merging", sum(count for _, count in batches))

    def stage(batch: int, count: int) -> Sequence[Fact]:
        connection.execute(statement("merge_stage"), [batch])
        connection.execute(statement("merge_staged"))
        observer.advance(count)
        return facts.touched_now(connection, catalog.facts)

    return [partial(stage, batch, count) for batch, count in batches]


def _store(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    merged: Merged,
    stages: Sequence[Callable[[], Sequence[Fact]]],
    *,
    forget: bool,
) -> None:
    import duckdb

    def write() -> None:
        for name in ("merge_insert", "merge_sources", "merge_blobs"):
            connection.execute(statement(name))
        if forget:
            # Facts of an event that stands twice are those of its first place, which may be new.
            facts.forget(connection, catalog.facts)
        _note(connection, merged.source, merged.origins)

    try:
        facts.commit(connection, catalog, write, stages)
    except duckdb.Error as error:
        raise _refusal(merged.source, error) from error


def _refusal(source: str, error: duckdb.Error) -> LedgerError:
    import duckdb

    said = str(error).splitlines()[0]
    if isinstance(error, duckdb.ConstraintException):
        return SourceDamaged(f"an event of {source} can't stand in a ledger: {said}")
    return LedgerUnwritable(
        f"cannot write the ledger: {said}",
        hint=f"nothing of {source} was merged; free some space and merge again",
    )


def _note(
    connection: duckdb.DuckDBPyConnection, source: str, origins: Sequence[OriginMerged]
) -> None:
    now = time.time_ns() // 1000
    for one in origins:
        counts = [one.new, one.known, one.contested]
        connection.execute(statement("merge_note"), [now, source, one.origin, *counts])
