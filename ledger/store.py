"""The public face of the event store."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger import facts, origins, outbox, schema
from ledger.connection import lock_down, reading, writing
from ledger.drain import Drained, drain, prepare
from ledger.errors import LedgerMissing, LedgerUnwritable
from ledger.locks import exclusively, shared, with_others
from ledger.observer import SILENT, Observer
from ledger.place import LockBusy, LockImpossible, Place
from ledger.reader import Reader
from ledger.recorder import recording
from ledger.refill import refill
from ledger.statements import statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from ledger.catalog import Catalog
    from ledger.envelope import Draft
    from ledger.intake import Intake
    from ledger.merge import Merged
    from ledger.offers import Offer


@dataclass(frozen=True, slots=True)
class Recorded:
    """Ids of recorded events, in the order of their drafts."""

    event_ids: tuple[str, ...]


class Ledger:
    """An append-only, hash-chained store of events in one DuckDB file.

    Recording is durable at once and never opens the database: events go to an outbox beside the
    file, and whoever opens the ledger next moves them in ("drains"), each with its place in the
    hash chain and its facts, in one transaction. Reading happens through a connection that can't
    write.

    ```python
    ledger = Ledger(Path("atlas.duckdb"), catalog)
    ledger.record([Draft(kind="annotation", payload={"why": "noisy host"})])
    with ledger.reader() as reader:
        reader.ask("SELECT kind, count(*) FROM events GROUP BY kind").rows
    ```

    Args:
        path: the database file; made at the first drain.
        catalog: the queries: which facts to derive, which views to define.
        observer: receives remarks ("3 events wait") and progress.
    """

    def __init__(self, path: Path, catalog: Catalog, observer: Observer = SILENT) -> None:
        self.place = Place(path)
        self._catalog = catalog
        self._observer = observer

    def create(self) -> str:
        """Make the ledger if it is not there, and drain what waits.

        Returns:
            The ledger's origin.

        Raises:
            LedgerError: the place can't be written, or holds something else.
        """
        self.place.make_folder()
        with exclusively(self.place), writing(self.place) as connection:
            return prepare(connection, self.place, self._catalog)

    def record(self, drafts: Sequence[Draft], blobs: Mapping[str, bytes] | None = None) -> Recorded:
        """Make events durable, all or none, without opening the database.

        Args:
            drafts: at least one.
            blobs: bodies the payloads name, by sha256 of the bytes.

        Raises:
            LedgerUnwritable: the file system refuses.
            NotJson: a payload has no JSON form.
        """
        with recording(self.place) as batch:
            for place, draft in enumerate(drafts):
                batch.add(draft, {} if place else blobs or {})
        return Recorded(tuple(event.event_id for event in batch.events))

    @contextmanager
    def intake(self) -> Iterator[Intake]:
        """For recording so many events that they should move in meanwhile.

        What waits is drained before, and what is left afterwards.

        Raises:
            LedgerError: as `drain`.
        """
        from ledger.intake import Intake

        self.drain()
        intake = Intake(self.place, self._catalog)
        try:
            yield intake
        finally:
            intake.close()
        intake.note(self.drain().appended)

    def drain(self, *, wait: bool = False) -> Drained:
        """Move what waits in the outbox into the database.

        With ``wait`` false it gives way to whoever holds the ledger, and to a full disk: what waits
        is counted, and said to the observer.

        Raises:
            LedgerError: the database can't be opened or written; nothing is lost then.
        """
        if not outbox.waiting(self.place):
            return Drained(damaged=self._tell_damaged())
        try:
            with self.place.locked(exclusive=True, wait=wait):
                done = drain(self.place, self._catalog, self._observer)
        except LockBusy:
            return self._still_waiting("another process holds the ledger")
        except LockImpossible:
            return self._still_waiting(f"{self.place.file.parent} can't be written")
        except LedgerUnwritable as error:
            if wait:
                raise
            return self._still_waiting(str(error))
        self._tell_damaged()
        return done

    @contextmanager
    def reader(self, *, drained: bool = True) -> Iterator[Reader]:
        """A `Reader` over everything recorded so far; drains first where that is possible.

        Args:
            drained: false when what waits in the outbox doesn't matter to the question, and may
                go on waiting.

        Raises:
            LedgerMissing: nothing was ever recorded here.
            LedgerError: the file can't be opened, or is too new.
        """
        if drained:
            self.drain()
        if not self.place.file.exists() and outbox.waiting(self.place):
            raise LedgerMissing(
                f"no ledger at {self.place.file} yet: what was recorded waits in its outbox",
                hint="make the folder writable, then run any command",
            )
        with shared(self.place), reading(self.place) as connection:
            schema.check(connection)
            self._fit_views(connection)
            lock_down(connection)
            yield Reader(connection)

    def waiting_events(self) -> int:
        """How many recorded events are not in the database yet."""
        return sum(outbox.count_events(path) for path in outbox.waiting(self.place))

    def damaged_batches(self) -> list[Path]:
        """Outbox files that were put aside because they are not what was written."""
        return outbox.damaged(self.place)

    def rebuild(self) -> None:
        """Derive all facts and views again from the events.

        Raises:
            LedgerError: the database can't be opened or written.
        """
        with exclusively(self.place), writing(self.place) as connection:
            prepare(connection, self.place, self._catalog)
            connection.execute(statement("rebuild_settings"))
            refill(connection, self._catalog, self._catalog.facts)

    def merge(
        self, sources: Sequence[Path | Offer], *, dry_run: bool = False
    ) -> tuple[Merged, ...]:
        """Take the events of other ledgers that are not here; those ledgers stay as they are.

        Each source is taken whole, in one transaction, or refused whole; one that is refused
        doesn't keep the others out. A second merge of the same sources adds nothing, and the order
        of merges makes no difference to what the ledger says.

        Args:
            sources: ledger files, canonical JSONL, folders of segments or of any of these.
            dry_run: only say what would be taken.

        Raises:
            SourceMissing: a source is not there, or nothing that can be merged.
            LedgerError: this ledger can't be opened or written; no source is taken in part.
        """
        from ledger.sources import find_offers

        offers = find_offers(sources, self.place)
        places = [offer.place for offer in offers if offer.place]
        if dry_run:
            self.drain()
            with (
                with_others(self.place, places, exclusive=False),
                reading(self.place) as connection,
            ):
                schema.check(connection)
                return self._merge_all(connection, offers, dry_run=True)
        self.place.make_folder()
        with with_others(self.place, places, exclusive=True):
            if outbox.waiting(self.place):
                drain(self.place, self._catalog, self._observer)
            with writing(self.place) as connection:
                prepare(connection, self.place, self._catalog)
                return self._merge_all(connection, offers, dry_run=False)

    def new_origin(self) -> tuple[str, str]:
        """Continue under a new origin: for a copied ledger whose original goes on being written.

        What waits in the outbox is moved in first, under the old origin.

        Returns:
            The old origin and the new one.

        Raises:
            LedgerMissing: there is no ledger to continue.
            LedgerUnwritable: something waits that can't be moved in.
        """
        if not self.place.file.exists() and not outbox.waiting(self.place):
            raise LedgerMissing(f"no ledger at {self.place.file}", hint="`atlas init` makes one")
        with exclusively(self.place), origins.held(self.place, exclusive=True):
            drain(self.place, self._catalog, self._observer)
            left = [*outbox.waiting(self.place), *outbox.damaged(self.place)]
            if left:
                raise LedgerUnwritable(
                    f"{left[0]} could not be moved in; the origin stays as it was",
                    hint="look at that file, move it away, then try again",
                )
            with writing(self.place) as connection:
                old = prepare(connection, self.place, self._catalog)
                return old, origins.replace(connection, self.place, old)

    def _merge_all(
        self, connection: duckdb.DuckDBPyConnection, offers: Sequence[Offer], *, dry_run: bool
    ) -> tuple[Merged, ...]:
        from ledger.merge import merge

        return tuple(
            merge(connection, self._catalog, offer, self._observer, dry_run=dry_run)
            for offer in offers
        )

    def _fit_views(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Let a reader of another version see this version's facts and views, as TEMP ones."""
        stale = facts.stale(connection, self._catalog)
        made = dict(connection.execute(statement("catalog_state")).fetchall())
        if not stale and made.get("definitions") == self._catalog.digest:
            return
        self._observer.remark(
            "this ledger's views are of another version; using temporary ones (`atlas rebuild`)"
        )
        if stale:
            facts.shadow(connection, self._catalog, self._catalog.facts)
        self._catalog.define(connection, temporary=True)

    def _still_waiting(self, why: str) -> Drained:
        count = self.waiting_events()
        if count:
            self._observer.remark(f"{why}: {count} recorded events wait in the outbox")
        return Drained(waiting=count, damaged=self._tell_damaged())

    def _tell_damaged(self) -> tuple[Path, ...]:
        bad = tuple(self.damaged_batches())
        if bad:
            self._observer.remark(
                f"{len(bad)} damaged outbox file(s) in {self.place.damaged}: look at them, "
                "then move them away"
            )
        return bad
