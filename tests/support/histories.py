"""Small histories of several hosts, some of them copied and written on both sides."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from support.toy import imported, thing, toy_ledger

from ledger.envelope import GENESIS, Draft, seal
from ledger.offers import CLOSED, load, part_branches, refuse_faults, scratch
from ledger.portable import lines
from ledger.tables import events_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ledger.envelope import Event
    from ledger.store import Ledger

ORIGINS = tuple(f"{number:08d}-0000-4000-8000-000000000000" for number in range(3))


def chained(events: Sequence[Event], seq: int = 0, prev: str = GENESIS) -> list[dict[str, Any]]:
    """Rows of the ``events`` table for a chain of sealed events from ``seq`` on."""
    found = []
    for place, event in enumerate(events, start=seq):
        hash_ = event.chained(place, prev)
        found.append(
            {
                **{n: getattr(event, n) for n in ("event_id", "origin", "kind", "version")},
                **{n: getattr(event, n) for n in ("recorded_us", "host", "payload")},
                "git_sha": event.provenance[0],
                "arch": event.provenance[6],
                "payload_sha256": event.payload_sha256,
                "seq": place,
                "prev_hash": prev,
                "hash": hash_,
            }
        )
        prev = hash_
    return found


def sealed(number: int, origin: str) -> Event:
    """A toy event of an origin; the same number is the same event."""
    return seal(thing(number), origin, 0)


def host(folder: Path, first: int, count: int, *, shared: int = 0) -> Ledger:
    """A ledger of its own with ``count`` things and ``shared`` pieces of one imported file."""
    folder.mkdir(parents=True)
    ledger = toy_ledger(folder)
    body = f"output of {folder.name}".encode()
    digest = hashlib.sha256(body).hexdigest()
    output = {"stdout": {"sha256": digest, "n_bytes": len(body)}}
    drafts: list[Draft] = [thing(first + number, output=output) for number in range(count)]
    ledger.record(drafts, {digest: body})
    ledger.drain()
    if shared:
        ledger.record([imported(number) for number in range(shared)])
        ledger.drain()
    return ledger


def copied(ledger: Ledger, folder: Path) -> Ledger:
    """A copy of a ledger with its outbox, as ``cp -r`` makes it."""
    shutil.copytree(ledger.place.file.parent, folder)
    return toy_ledger(folder)


def add(ledger: Ledger, *numbers: int) -> None:
    """Record things, and move them in."""
    ledger.record([thing(number) for number in numbers])
    ledger.drain()


def text_of(ledger: Ledger) -> bytes:
    """Everything a ledger holds, as canonical JSONL: equal bytes are equal sets."""
    with ledger.reader() as reader:
        return b"".join(lines(reader))


def answers(ledger: Ledger) -> dict[str, Any]:
    """What every view and fact of the toy catalog says, in an order of its own."""
    with ledger.reader() as reader:
        names = [
            row[0]
            for row in reader.ask(
                "SELECT view_name FROM duckdb_views() WHERE NOT internal AND NOT temporary"
            ).rows
        ]
        return {
            name: sorted(reader.ask(f'FROM "{name}"').rows, key=repr) for name in (*names, "thing")
        }


class Rows:
    """An offer of given rows, for merges without files."""

    place = None

    def __init__(self, name: str, events: Sequence[dict[str, Any]]) -> None:
        self.name, self._events = name, list(events)

    @contextmanager
    def attached(self, connection: Any, observer: Any) -> Iterator[dict[str, int]]:
        del observer
        with scratch(connection) as inside:
            if self._events:
                load(inside, "events", events_table(self._events))
            part_branches(inside)
            refuse_faults(inside, CLOSED)
            yield {}
