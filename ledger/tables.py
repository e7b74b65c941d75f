"""Events and blobs as Arrow tables, with the columns and types of the base tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ledger.envelope import PROVENANCE
from ledger.errors import SourceDamaged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BEFORE = ("event_id", "origin", "seq", "kind", "version", "recorded_us", "host")
_AFTER = ("payload", "payload_sha256", "prev_hash", "hash")
_INTEGERS = {"seq": pa.int64(), "version": pa.int32(), "recorded_us": pa.int64()}

EVENTS = pa.schema(
    [(name, _INTEGERS.get(name, pa.string())) for name in (*_BEFORE, *PROVENANCE, *_AFTER)]
)
"""An event with its place in the chain: the columns of ``events`` in their order."""

_BLOBS = pa.schema([("sha256", pa.string()), ("body", pa.large_binary())])


def events_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Events given as JSON objects, one key a column; a missing key is NULL.

    Raises:
        SourceDamaged: a value is of another type.
    """
    try:
        return pa.Table.from_pylist(rows, schema=EVENTS)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise SourceDamaged(f"an event has a value of another type: {error}") from error


def blobs_table(bodies: Mapping[str, bytes]) -> pa.Table:
    """Bodies by sha256."""
    return pa.Table.from_pydict(
        {"sha256": list(bodies), "body": list(bodies.values())}, schema=_BLOBS
    )
