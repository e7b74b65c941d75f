"""Recording: drafts become sealed events in a durable batch, without opening the database."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ledger import origins, outbox, schema
from ledger.connection import reading
from ledger.envelope import seal
from ledger.locks import shared
from ledger.statements import first

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ledger.envelope import Draft, Event
    from ledger.place import Place


class Recording:
    """A batch that takes events one by one.

    Attributes:
        events: those it took, sealed.
        blobs: the bodies they name.
        path: the batch's file, once it is durable.
    """

    def __init__(self, origin: str, writer: outbox.BatchWriter, now_us: int) -> None:
        self.events: list[Event] = []
        self.blobs: dict[str, bytes] = {}
        self.path = writer.target
        self._origin = origin
        self._writer = writer
        self._last_us = now_us - 1

    def add(self, draft: Draft, blobs: Mapping[str, bytes]) -> Event:
        """Seal a draft and write it, behind the blobs that are not in the batch yet.

        Raises:
            LedgerUnwritable: the file system refuses.
            NotJson: the payload has no JSON form.
        """
        # At least a microsecond apart, so that events keep their order in the chain.
        self._last_us = max(time.time_ns() // 1000, self._last_us + 1)
        event = seal(draft, self._origin, self._last_us)
        for digest, body in blobs.items():
            if digest not in self.blobs:
                self._writer.add_blob(digest, body)
                self.blobs[digest] = body
        self._writer.add(event)
        self.events.append(event)
        return event


@contextmanager
def recording(place: Place) -> Iterator[Recording]:
    """A batch that is durable when the block ends, and was never there when it raises.

    Raises:
        LedgerUnwritable: the file system refuses.
    """
    place.make_folder()
    origin = outbox.known_origin(place) or _restore_origin(place)
    with origins.held(place):
        origin = outbox.known_origin(place) or origin
        now = time.time_ns() // 1000
        with outbox.writing_batch(place, now) as writer:
            yield Recording(origin, writer, now)


def _restore_origin(place: Place) -> str:
    """The origin of a ledger whose outbox folder is new or was left behind."""
    if place.file.exists():
        with shared(place), reading(place) as connection:
            schema.check(connection)
            row = first(connection, "origin")
            return outbox.mint_origin(place, row[0] if row else None)
    return outbox.mint_origin(place)
