"""Exported segments as something that can be merged."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from ledger.errors import SourceDamaged, SourceMissing
from ledger.offers import OPEN, load, part_branches, refuse_faults, scratch
from ledger.segments import Segment, count_covered, known_tips, read_segment, segments_of
from ledger.statements import first, statement
from ledger.tables import blobs_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

    from ledger.observer import Observer
    from ledger.place import Place
    from ledger.shelf import Shelf

_BLOB_BYTES_AT_ONCE = 64 * 1024 * 1024
_PREFIX = "origin="


class Segments:
    """A shelf of segments. Files whose last event is here already are not read again."""

    place: Place | None = None

    def __init__(self, shelf: Shelf) -> None:
        self.name = shelf.url
        self._shelf = shelf

    @contextmanager
    def attached(
        self, connection: duckdb.DuckDBPyConnection, observer: Observer
    ) -> Iterator[dict[str, int]]:
        """Load what is unseen as ``atlas_offer`` and check it; see ``Offer``."""
        found = {
            folder.removeprefix(_PREFIX): segments_of(self._shelf, folder.removeprefix(_PREFIX))
            for folder in self._shelf.folders(_PREFIX)
        }
        if not any(found.values()):
            raise SourceDamaged(f"{self.name} holds no segments", hint="there is nothing to merge")
        known: dict[str, int] = {}
        unseen: list[tuple[str, Segment]] = []
        for origin, segments in found.items():
            tips = known_tips(connection, origin, segments)
            known[origin] = count_covered(connection, origin, tips)
            unseen += [(origin, segment) for segment in segments if segment not in tips]
        with scratch(connection) as inside:
            try:
                self._load_events(inside, unseen, observer)
                self._load_blobs(connection, inside)
                part_branches(inside)
                refuse_faults(inside, OPEN)
            except (SourceDamaged, SourceMissing) as error:
                raise SourceDamaged(f"{self.name}: {error}", hint=error.hint) from error
            yield known

    def _load_events(
        self,
        inside: duckdb.DuckDBPyConnection,
        unseen: list[tuple[str, Segment]],
        observer: Observer,
    ) -> None:
        observer.begin("reading segments", len(unseen))
        for origin, segment in unseen:
            name = f"{_PREFIX}{origin}/{segment.name}"
            try:
                rows = read_segment(self._shelf.read(name), origin, segment)
            except ValueError as error:
                raise SourceDamaged(f"{name}: {error}", hint="nothing was merged") from error
            load(inside, "events", rows)
            observer.advance()
        observer.end()

    def _load_blobs(
        self, connection: duckdb.DuckDBPyConnection, inside: duckdb.DuckDBPyConnection
    ) -> None:
        rows = connection.execute(statement("blob_digests")).fetchall()
        here = [row[0] for row in rows]
        bodies: dict[str, bytes] = {}
        size = 0
        for name in sorted(set(self._shelf.names("blobs")).difference(here)):
            bodies[name] = self._shelf.read(f"blobs/{name}")
            size += len(bodies[name])
            if size > _BLOB_BYTES_AT_ONCE:
                load(inside, "blobs", blobs_table(bodies))
                bodies, size = {}, 0
        if bodies:
            load(inside, "blobs", blobs_table(bodies))
        _refuse_missing(inside, here)


def _refuse_missing(inside: duckdb.DuckDBPyConnection, here: list[str]) -> None:
    inside.register("blobs_here", pa.table({"sha256": pa.array(here, "string")}))
    missing = first(inside, "offer_missing_blobs")
    inside.unregister("blobs_here")
    if missing:
        origin, seq, digest = missing
        raise SourceDamaged(
            f"missing blob at origin {origin} seq {seq}: {digest} is nowhere",
            hint="nothing of it was merged; get a complete copy",
            fault="missing blob",
        )
