"""Intake: many events on their way in, moved into the database while more of them are recorded."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from queue import Full, Queue
from typing import TYPE_CHECKING

from ledger.connection import ROW_GROUP, writing
from ledger.drain import move_in, prepare
from ledger.errors import LedgerUnwritable
from ledger.outbox import Batch
from ledger.place import LockBusy, LockImpossible
from ledger.recorder import recording

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Future

    from ledger.append import Appended
    from ledger.catalog import Catalog
    from ledger.envelope import Draft
    from ledger.place import Place
    from ledger.recorder import Recording

_FULL_BATCH = ROW_GROUP // 2
"""Events worth a batch of their own: two of them make a full transaction."""

_MANY = 2_000
"""From so many events on the ledger is opened, or made, while more of them are added."""

_PATIENCE_SECONDS = 0.1

_BLOB_BYTES = 32 * 1024 * 1024


class Intake:
    """Takes events one by one, as many as there are.

    They are gathered in batches, each durable in the outbox when it is full. When there are many, a
    thread holds the ledger and appends what it is handed, two batches at a time, without reading it
    back; what it can't take, because another process holds the ledger or a disk is full, stays in
    the outbox for the next drain. One thread adds; at most four full batches are in memory.
    """

    def __init__(self, place: Place, catalog: Catalog) -> None:
        self._place = place
        self._catalog = catalog
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="intake")
        self._working: Future[None] | None = None
        self._handed: Queue[Recording | None] = Queue(maxsize=1)
        self._appended: deque[Appended] = deque()
        self._open = ExitStack()
        self._batch: Recording | None = None
        self._bytes = 0

    def add(self, draft: Draft, blobs: Mapping[str, bytes]) -> str:
        """Take an event; it is durable when its batch is full, or at the end.

        Returns:
            The event's id.

        Raises:
            LedgerUnwritable: the file system refuses.
            NotJson: the payload has no JSON form.
        """
        if self._batch is None:
            self._batch = self._open.enter_context(recording(self._place))
            self._bytes = 0
        event_id = self._batch.add(draft, blobs).event_id
        self._bytes += sum(map(len, blobs.values()))
        count = len(self._batch.events)
        if count == _MANY and self._working is None:
            self._working = self._worker.submit(self._work)
        if count >= _FULL_BATCH or self._bytes >= _BLOB_BYTES:
            self._finish_batch()
        return event_id

    def note(self, appended: Appended) -> None:
        """Add what a drain did with the events that this intake left to it."""
        self._appended.append(appended)

    def appended(self) -> Iterator[Appended]:
        """What became of the transactions that were finished since this was last asked."""
        while self._appended:
            yield self._appended.popleft()

    def close(self) -> None:
        """Make durable what was taken, and wait for what was handed on.

        Raises:
            LedgerUnwritable: the file system refuses.
            LedgerError: the ledger is damaged or too new; what was recorded stays in the outbox.
        """
        try:
            self._finish_batch()
        finally:
            self._hand_on(None)
            self._worker.shutdown()
        if self._working is not None:
            self._working.result()

    def _finish_batch(self) -> None:
        batch, self._batch = self._batch, None
        self._open.close()
        if batch:
            self._hand_on(batch)

    def _hand_on(self, batch: Recording | None) -> None:
        """Give the thread its next batch, or None for no more; it may end while this waits."""
        while self._working is not None and not self._working.done():
            with suppress(Full):
                self._handed.put(batch, timeout=_PATIENCE_SECONDS)
                return

    def _work(self) -> None:
        # Whoever drains next says why this one could not.
        with suppress(LockBusy, LockImpossible, LedgerUnwritable):
            self._append_all()

    def _append_all(self) -> None:
        with (
            self._place.locked(exclusive=True, wait=False),
            writing(self._place) as connection,
        ):
            prepare(connection, self._place, self._catalog)
            for group in self._groups():
                batches = [Batch(tuple(one.events), one.blobs) for one in group]
                paths = [one.path for one in group]
                self._appended.append(move_in(connection, self._catalog, batches, paths))

    def _groups(self) -> Iterator[list[Recording]]:
        """What is handed on, gathered into transactions."""
        group: list[Recording] = []
        while one := self._handed.get():
            if one.path.exists():  # a drain of another process may have had it already
                group.append(one)
            if sum(len(batch.events) for batch in group) >= ROW_GROUP:
                yield group
                group = []
        if group:
            yield group
