"""Appending: sealed events get their place in the chain, their blobs and facts, all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ledger import facts
from ledger.envelope import GENESIS, PROVENANCE, Event
from ledger.statements import first, statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from ledger.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Appended:
    """How many events were new, which were known already, and which have no facts.

    Attributes:
        new: ids of the appended events, in chain order.
        known: ids of events that were here already (the same event, or the same imported thing).
        failed: ids of new events whose facts could not be derived.
    """

    new: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    def __add__(self, other: Appended) -> Appended:
        return Appended(self.new + other.new, self.known + other.known, self.failed + other.failed)


def append(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    events: Sequence[Event],
    blobs: Mapping[str, bytes],
) -> Appended:
    """Append events of this ledger's own origin, in the given order.

    Args:
        connection: a writing connection; the caller holds the exclusive lock.
        catalog: the facts to derive.
        events: sealed events, all of the same origin, in chain order.
        blobs: bodies by sha256; those already stored are left alone.
    """
    import pyarrow as pa

    # Known twice over, an event would stand twice, or be taken for the double of itself.
    events = _once(events)
    columns = {name: [getattr(event, name) for event in events] for name in _PLAIN}
    for place, name in enumerate(PROVENANCE):
        columns[name] = [event.provenance[place] for event in events]
    schema = pa.schema([(name, _TYPES.get(name, "string")) for name in columns])
    connection.register("candidates", pa.Table.from_pydict(columns, schema=schema))
    connection.register("import_keys", _import_keys(events))
    known = {row[0] for row in connection.execute(statement("already_here")).fetchall()}
    fresh = [event for event in events if event.event_id not in known]
    failed = _append_fresh(connection, catalog, fresh, blobs) if fresh else []
    connection.unregister("candidates")
    connection.unregister("import_keys")
    return Appended(
        tuple(event.event_id for event in fresh),
        tuple(event.event_id for event in events if event.event_id in known),
        tuple(event_id for event_id, _, _ in failed),
    )


_PLAIN = (
    "event_id",
    "origin",
    "kind",
    "version",
    "recorded_us",
    "host",
    "payload",
    "payload_sha256",
)
_TYPES = {"version": "int32", "recorded_us": "int64"}


def _import_keys(events: Sequence[Event]) -> Any:
    """An Arrow table of what the events were imported from."""
    import pyarrow as pa

    keyed = [(event, event.import_key) for event in events if event.import_key]
    columns = {
        "event_id": [event.event_id for event, _ in keyed],
        "recorded_us": [event.recorded_us for event, _ in keyed],
        "file_sha256": [key[0] for _, key in keyed],
        "ordinal": [key[1] for _, key in keyed],
        "adapter": [key[2] for _, key in keyed],
    }
    types = ("string", "int64", "string", "int64", "string")
    return pa.Table.from_pydict(columns, pa.schema(list(zip(columns, types, strict=True))))


def _once(events: Sequence[Event]) -> list[Event]:
    return list({event.event_id: event for event in events}.values())


def _append_fresh(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    fresh: Sequence[Event],
    blobs: Mapping[str, bytes],
) -> list[tuple[str, str, str]]:
    import pyarrow as pa

    head = first(connection, "head", [fresh[0].origin])
    seq, prev = (head[0] + 1, head[1]) if head else (0, GENESIS)
    chain = _chain(fresh, seq, prev)
    connection.register("chained", pa.Table.from_pydict(chain))
    connection.execute(statement("stage_chained"))
    failed = facts.derive(connection, catalog, catalog.facts)
    bodies = {
        "sha256": list(blobs),
        "n_bytes": [len(body) for body in blobs.values()],
        "body": list(blobs.values()),
    }
    blob_schema = pa.schema([("sha256", "string"), ("n_bytes", "int64"), ("body", "large_binary")])
    connection.register("incoming_blobs", pa.Table.from_pydict(bodies, schema=blob_schema))
    connection.begin()
    connection.execute(statement("append_new"))
    connection.execute(statement("append_sources"))
    if blobs:
        connection.execute(statement("append_blobs"))
    facts.store(connection, catalog.facts, failed)
    connection.commit()
    connection.unregister("incoming_blobs")
    connection.unregister("chained")
    return failed


def _chain(events: Sequence[Event], seq: int, prev: str) -> dict[str, list[str] | list[int]]:
    prevs: list[str] = []
    hashes: list[str] = []
    for place, event in enumerate(events, start=seq):
        prevs.append(prev)
        prev = event.chained(place, prev)
        hashes.append(prev)
    return {
        "event_id": [event.event_id for event in events],
        "seq": list(range(seq, seq + len(events))),
        "prev_hash": prevs,
        "hash": hashes,
    }
