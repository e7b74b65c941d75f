"""Segments: a ledger as immutable Parquet files that any engine reads.

``origin=UUID/FROM-TO-DIGEST.parquet`` holds one event a row, the events of one branch from seq FROM
to seq TO without a gap; DIGEST are the first 32 digits of the hash at TO, which the chain makes a
digest of all before it. ``blobs/SHA256`` holds the raw bytes. Files are never changed: who has the
hash at TO has the whole file, so that both directions look at names first.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from ledger.branches import Link, paths
from ledger.statements import statement
from ledger.tables import EVENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import duckdb

    from ledger.observer import Observer
    from ledger.reader import Reader
    from ledger.shelf import Shelf

_EVENTS_AT_ONCE = 50_000
_BLOBS_AT_ONCE = 1_000
_DIGITS = 32
_NAME = re.compile(r"(\d{1,18})-(\d{1,18})-([0-9a-f]{32})\.parquet")


@dataclass(frozen=True, slots=True, order=True)
class Segment:
    """What the name of a segment says: seq of its first and last event, digits of the last hash."""

    first: int
    last: int
    digest: str

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.first:012d}-{self.last:012d}-{self.digest}.parquet"


@dataclass(frozen=True, slots=True)
class Exported:
    """How much an export wrote: files that were there already are not counted."""

    segments: int
    events: int
    blobs: int


def segments_of(shelf: Shelf, origin: str) -> list[Segment]:
    """The segments of an origin on a shelf, in order; other files are passed over."""
    found = (_NAME.fullmatch(name) for name in shelf.names(f"origin={origin}"))
    return sorted(Segment(int(name[1]), int(name[2]), name[3]) for name in found if name)


def known_tips(
    connection: duckdb.DuckDBPyConnection, origin: str, segments: list[Segment]
) -> dict[Segment, str]:
    """The segments whose last event is in the ledger, with its hash."""
    places = sorted({segment.last for segment in segments})
    rows = connection.execute(statement("place_hashes"), [origin, places]).fetchall()
    here = {(seq, hash_[:_DIGITS]): hash_ for seq, hash_ in rows}
    return {
        segment: here[segment.last, segment.digest]
        for segment in segments
        if (segment.last, segment.digest) in here
    }


def export_segments(reader: Reader, shelf: Shelf, observer: Observer) -> Exported:
    """Write what the shelf lacks of a ledger: blobs first, so that no event names a missing one.

    Raises:
        LedgerUnwritable: the shelf refuses; the files that are there are whole.
    """
    blobs = _export_blobs(reader, shelf, observer)
    origins = reader.ask(statement("segment_origins")).rows
    written = [
        count
        for origin, _, first, last in origins
        for count in _export_origin(reader, shelf, origin, (first, last))
    ]
    return Exported(len(written), sum(written), blobs)


def _export_blobs(reader: Reader, shelf: Shelf, observer: Observer) -> int:
    there = shelf.names("blobs")
    sizes = reader.ask(statement("blob_digests")).rows
    lacking = [digest for digest, size in sizes if there.get(digest) != size]
    observer.begin("writing blobs", len(lacking))
    for place in range(0, len(lacking), _BLOBS_AT_ONCE):
        some = lacking[place : place + _BLOBS_AT_ONCE]
        for digest, body in reader.stream(statement("blob_bodies"), [some]):
            shelf.write(f"blobs/{digest}", body)
            observer.advance()
    observer.end()
    return len(lacking)


def _export_origin(
    reader: Reader, shelf: Shelf, origin: str, span: tuple[int, int]
) -> Iterator[int]:
    """Write the missing segments of one origin; yields the number of events of each."""
    branches = _branches(reader.connection, origin)
    there = known_tips(reader.connection, origin, segments_of(shelf, origin))
    covered, done = _covered(there, branches)
    for first, last in _missing(span, covered):
        for begin in range(first, last + 1, _EVENTS_AT_ONCE):
            end = min(last, begin + _EVENTS_AT_ONCE - 1)
            yield _write(reader, shelf, "segment_events", [origin, begin, end])
    for path in paths(link for link in branches.values() if link.hash not in done):
        for begin in range(0, len(path), _EVENTS_AT_ONCE):
            hashes = [link.hash for link in path[begin : begin + _EVENTS_AT_ONCE]]
            yield _write(reader, shelf, "segment_conflicts", [origin, hashes])


def count_covered(
    connection: duckdb.DuckDBPyConnection, origin: str, there: dict[Segment, str]
) -> int:
    """How many events of the ledger the segments ``there`` hold (see `known_tips`)."""
    ranges, done = _covered(there, _branches(connection, origin))
    end = -1
    count = len(done)
    for first, last in sorted(ranges):
        count += max(0, last - max(first - 1, end))
        end = max(end, last)
    return count


def _branches(connection: duckdb.DuckDBPyConnection, origin: str) -> dict[str, Link]:
    rows = connection.execute(statement("segment_branches"), [origin]).fetchall()
    return {link.hash: link for link in (Link(*row) for row in rows)}


def _covered(
    there: dict[Segment, str], branches: dict[str, Link]
) -> tuple[list[tuple[int, int]], set[str]]:
    """What segments hold already: ranges of ``events``, and hashes of ``conflicts``.

    A segment that ends on a branch set aside here holds that branch, and below the place where it
    parted the chain in ``events``.
    """
    ranges: list[tuple[int, int]] = []
    done: set[str] = set()
    for segment, tip in there.items():
        last, hash_ = segment.last, tip
        while hash_ in branches and last >= segment.first:
            done.add(hash_)
            last, hash_ = last - 1, branches[hash_].prev_hash
        if last >= segment.first:
            ranges.append((segment.first, last))
    return ranges, done


def _missing(
    span: tuple[int, int], covered: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Ranges of ``span`` that no range of ``covered`` holds; ends belong to the ranges."""
    at, end = span
    for first, last in sorted(covered):
        if first > at:
            yield at, first - 1
        at = max(at, last + 1)
    if at <= end:
        yield at, end


def _write(reader: Reader, shelf: Shelf, name: str, parameters: list[object]) -> int:
    rows = reader.connection.sql(statement(name), params=parameters).to_arrow_table().cast(EVENTS)
    seqs, digest = rows["seq"], rows["hash"][-1].as_py()[:_DIGITS]
    segment = Segment(seqs[0].as_py(), seqs[-1].as_py(), digest)
    sink = io.BytesIO()
    pq.write_table(rows, sink, compression="zstd")
    shelf.write(f"origin={rows['origin'][0].as_py()}/{segment.name}", sink.getvalue())
    return int(rows.num_rows)


def read_segment(body: bytes, origin: str, segment: Segment) -> pa.Table:
    """The events of a segment file.

    Raises:
        ValueError: it is no Parquet file of events, or not what its name says.
    """
    try:
        rows = pq.ParquetFile(io.BytesIO(body)).read(columns=EVENTS.names).cast(EVENTS)
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise ValueError(f"no Parquet file of events: {str(error).splitlines()[0]}") from error
    expected = list(range(segment.first, segment.last + 1)) if rows.num_rows else []
    if rows.num_rows != segment.last - segment.first + 1 or rows["seq"].to_pylist() != expected:
        raise ValueError("its events are not the ones its name says")
    if rows["origin"].unique().to_pylist() != [origin]:
        raise ValueError("it holds events of another origin")
    if not str(rows["hash"][-1].as_py()).startswith(segment.digest):
        raise ValueError("its last hash is not the one its name says")
    return rows
