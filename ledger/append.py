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
    import pyarrow as pa

    from ledger.catalog import Catalog, Fact


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
    wanted: Sequence[Fact],
) -> Appended:
    """Append events of this ledger's own origin, in the given order.

    Args:
        connection: a writing connection; the caller holds the exclusive lock, and the tables of
            all facts are made.
        catalog: how payloads are parsed.
        events: sealed events, all of the same origin, in chain order.
        blobs: bodies by sha256; those already stored are left alone.
        wanted: the facts to derive.
    """
    # Known twice over, an event would stand twice, or be taken for the double of itself.
    events = _once(events)
    connection.register("candidates", _table({"event_id": [event.event_id for event in events]}))
    connection.register("import_keys", _import_keys(events))
    known = {row[0] for row in connection.execute(statement("already_here")).fetchall()}
    fresh = [event for event in events if event.event_id not in known]
    failed = _append_fresh(connection, catalog, fresh, blobs, wanted) if fresh else []
    connection.unregister("candidates")
    connection.unregister("import_keys")
    return Appended(
        tuple(event.event_id for event in fresh),
        tuple(event.event_id for event in events if event.event_id in known),
        tuple(event_id for event_id, _, _ in failed),
    )


def _import_keys(events: Sequence[Event]) -> pa.Table:
    """An Arrow table of what the events were imported from."""
    keyed = [(event, event.import_key) for event in events if event.import_key]
    return _table(
        {
            "event_id": [event.event_id for event, _ in keyed],
            "recorded_us": [event.recorded_us for event, _ in keyed],
            "file_sha256": [key[0] for _, key in keyed],
            "ordinal": [key[1] for _, key in keyed],
            "adapter": [key[2] for _, key in keyed],
        }
    )


def _once(events: Sequence[Event]) -> list[Event]:
    return list({event.event_id: event for event in events}.values())


def _append_fresh(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    fresh: Sequence[Event],
    blobs: Mapping[str, bytes],
    wanted: Sequence[Fact],
) -> list[tuple[str, str, str]]:
    head = first(connection, "head", [fresh[0].origin])
    seq, prev = (head[0] + 1, head[1]) if head else (0, GENESIS)
    connection.register("chained", _chained(fresh, seq, prev))
    connection.execute(statement("stage_chained"))
    bodies: dict[str, Sequence[Any]] = {
        "sha256": list(blobs),
        "n_bytes": [len(body) for body in blobs.values()],
        "body": list(blobs.values()),
    }
    connection.register("incoming_blobs", _table(bodies))

    def write() -> None:
        connection.execute(statement("append_new"))
        connection.execute(statement("append_sources"))
        if blobs:
            connection.execute(statement("append_blobs"))

    some = facts.touched(wanted, {event.kind for event in fresh})
    failed = facts.commit(connection, catalog, write, [lambda: some])
    connection.unregister("incoming_blobs")
    connection.unregister("chained")
    return failed


def _chained(events: Sequence[Event], seq: int, prev: str) -> pa.Table:
    """An Arrow table of the events in their places, in the columns of ``events``."""
    import pyarrow as pa

    prevs: list[str] = []
    hashes: list[str] = []
    for place, event in enumerate(events, start=seq):
        prevs.append(prev)
        prev = event.chained(place, prev)
        hashes.append(prev)
    fields = list(zip(*events, strict=True))
    values: dict[str, Sequence[Any]] = dict(zip(Event._fields, fields, strict=True))
    values |= zip(PROVENANCE, zip(*values.pop("provenance"), strict=True), strict=True)
    del values["import_key"]
    values |= {"seq": range(seq, seq + len(events)), "prev_hash": prevs, "hash": hashes}
    # In slices, for one text of all payloads would be copied again and again while it grows.
    slices = range(0, len(events), _SLICE)
    return pa.concat_tables(
        _table({name: column[begin : begin + _SLICE] for name, column in values.items()})
        for begin in slices
    )


_SLICE = 2_048
"""Rows per Arrow batch: DuckDB's threads take one at a time."""

_TYPES = {
    "version": "int32",
    "recorded_us": "int64",
    "seq": "int64",
    "ordinal": "int64",
    "n_bytes": "int64",
    "body": "large_binary",
}


def _table(columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """An Arrow table; what is no number and no blob is text."""
    import pyarrow as pa

    schema = pa.schema([(name, _TYPES.get(name, "string")) for name in columns])
    return pa.Table.from_pydict(columns, schema=schema)
