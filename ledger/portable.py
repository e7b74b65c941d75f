"""Canonical JSONL: a whole ledger as text that any language reads and writes.

The first line tells the format and the numbers of blobs and events; then come the blobs by digest,
then the events by (origin, seq, hash), of all branches. Every line is canonical JSON. The text is a
function of the set of events and blobs: two ledgers that hold the same write the same bytes.
"""

from __future__ import annotations

import base64
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from ledger import canonical
from ledger.errors import SourceDamaged
from ledger.offers import CLOSED, load, part_branches, refuse_faults, scratch
from ledger.statements import first, statement
from ledger.tables import blobs_table, events_table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    import duckdb

    from ledger.observer import Observer
    from ledger.place import Place
    from ledger.reader import Reader

FORMAT = "atlas-events-1"
_LINES_AT_ONCE = 5_000
_LONGEST_LINE = 256 * 1024 * 1024


def lines(reader: Reader) -> Iterator[bytes]:
    """The ledger's canonical JSONL, line by line."""
    counts = first(reader.connection, "export_counts")
    events, blobs = counts or (0, 0)
    yield _line({"format": FORMAT, "events": events, "blobs": blobs})
    for digest, body in reader.stream(statement("export_blobs")):
        yield _line({"blob": digest, "base64": base64.b64encode(body).decode()})
    names: list[str] = []
    for row in reader.stream(statement("export_events")):
        names = names or [column[0] for column in reader.connection.description or ()]
        yield _line(dict(zip(names, row, strict=True)))


def _line(value: dict[str, Any]) -> bytes:
    return canonical.dumps(value)[0].encode() + b"\n"


class JsonLines:
    """A file of canonical JSONL whose events can be merged."""

    place: Place | None = None

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path

    @contextmanager
    def attached(
        self, connection: duckdb.DuckDBPyConnection, observer: Observer
    ) -> Iterator[dict[str, int]]:
        """Load it as ``atlas_offer`` and check everything in it.

        Raises:
            SourceDamaged: a line, a count, a digest or a link is wrong.
        """
        with scratch(connection) as inside:
            try:
                with self._path.open("rb") as file:
                    self._load(inside, file, observer)
                part_branches(inside)
                refuse_faults(inside, CLOSED)
            except OSError as error:
                raise SourceDamaged(f"{self.name} can't be read: {error.strerror}") from error
            except SourceDamaged as error:
                raise SourceDamaged(f"{self.name}: {error}", hint=error.hint) from error
            yield {}

    def _load(self, inside: duckdb.DuckDBPyConnection, file: BinaryIO, observer: Observer) -> None:
        numbered = _values(file)
        _, header = next(numbered, (1, {}))
        if header.get("format") != FORMAT:
            raise SourceDamaged(
                f"it is no {FORMAT} file", hint="`atlas ingest` takes rows, logs and manifests"
            )
        found = {"events": 0, "blobs": 0}
        observer.begin("reading", header.get("events"))
        while chunk := list(islice(numbered, _LINES_AT_ONCE)):
            blobs = [_with_body(number, value) for number, value in chunk if "blob" in value]
            events = [value for _, value in chunk if "blob" not in value]
            if blobs:
                load(inside, "blobs", blobs_table(dict(blobs)))
            if events:
                load(inside, "events", events_table(events))
            found["events"] += len(events)
            found["blobs"] += len(blobs)
            observer.advance(len(events))
        observer.end()
        for what, count in found.items():
            if header.get(what) != count:
                raise SourceDamaged(f"it says {header.get(what)} {what} and holds {count}")


def _values(file: BinaryIO) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    while line := file.readline(_LONGEST_LINE):
        number += 1
        if len(line) == _LONGEST_LINE:
            raise SourceDamaged(f"line {number} is too long")
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise SourceDamaged(f"line {number} is no JSON: {error}") from error
        if not isinstance(value, dict):
            raise SourceDamaged(f"line {number} is no JSON object")
        yield number, value


def _with_body(number: int, value: dict[str, Any]) -> tuple[str, bytes]:
    try:
        return str(value["blob"]), base64.b64decode(value["base64"], validate=True)
    except (KeyError, TypeError, ValueError) as error:
        raise SourceDamaged(f"line {number} holds no blob") from error
