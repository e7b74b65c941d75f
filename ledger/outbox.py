"""The outbox: how an event becomes durable without opening the database.

A batch is one file of NDJSON: a header line with a digest of all that follows, then events, each
behind the blobs it names. It is written under another name, synced, renamed, and the folder is
synced: after that the batch exists as a whole, or (before) not at all.
"""

from __future__ import annotations

import base64
import hashlib
import os
import uuid
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from ledger.envelope import PROVENANCE, Event, check_form, sha256_text
from ledger.errors import LedgerDamaged
from ledger.place import Place, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_FORMAT = "atlas-outbox-1"
_BLANK_HEADER = b" " * 199 + b"\n"
_BUFFER_BYTES = 256 * 1024
_ENVELOPE = ("event_id", "origin", "kind", "version", "recorded_us", "host")
_LINE = (*_ENVELOPE, *PROVENANCE, "payload", "payload_sha256", "import_key")
"""Members of an event's line: the event's fields in order, its provenance spread out."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Events that were recorded together, and the blobs they name (by sha256 of the bytes)."""

    events: tuple[Event, ...]
    blobs: dict[str, bytes]


class BatchDamaged(Exception):
    """A batch file is not what was written; the message says how."""


class BatchWriter:
    """A batch that is being written, line by line; `writing_batch` makes one.

    Its methods raise LedgerUnwritable when the file system refuses.
    """

    def __init__(self, target: Path, file: BinaryIO) -> None:
        self.target = target
        self._file = file
        self._digest = hashlib.sha256()
        self._counts = {"events": 0, "blobs": 0}
        self._put(_BLANK_HEADER)

    def add_blob(self, digest: str, body: bytes) -> None:
        """Write a blob."""
        self._add("blobs", {"blob": digest, "base64": base64.b64encode(body).decode()})

    def add(self, event: Event) -> None:
        """Write an event; the blobs it names are in the batch already, or in the ledger."""
        values = (*event[:6], *event.provenance, *event[7:])
        self._add("events", dict(zip(_LINE, values, strict=True)))

    def finish(self) -> None:
        """Write the header over its blank."""
        header = {"format": _FORMAT, **self._counts, "sha256": self._digest.hexdigest()}
        try:
            self._file.seek(0)
        except OSError as error:
            raise unwritable(self.target, error) from error
        self._put(orjson.dumps(header))

    def _add(self, what: str, values: dict[str, Any]) -> None:
        line = orjson.dumps(values, option=orjson.OPT_APPEND_NEWLINE)
        self._digest.update(line)
        self._counts[what] += 1
        self._put(line)

    def _put(self, text: bytes) -> None:
        try:
            self._file.write(text)
        except OSError as error:
            raise unwritable(self.target, error) from error


@contextmanager
def writing_batch(place: Place, now_us: int) -> Iterator[BatchWriter]:
    """A batch that is durable when the block ends, and was never there when it raises.

    Raises:
        LedgerUnwritable: the file system refuses.
    """
    target = place.outbox / f"{now_us:016d}-{uuid.uuid4().hex[:12]}.ndjson"
    with ExitStack() as stack:
        try:
            file = stack.enter_context(durable_file(target))
        except OSError as error:
            raise unwritable(target, error) from error
        writer = BatchWriter(target, file)
        yield writer
        writer.finish()
        try:
            stack.close()
        except OSError as error:
            raise unwritable(target, error) from error


@contextmanager
def durable_file(target: Path) -> Iterator[BinaryIO]:
    """A file that is there as a whole when the block ends, and not at all when it raises.

    Raises:
        OSError: the file system refuses.
    """
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    file = os.fdopen(handle, "wb", _BUFFER_BYTES)
    try:
        yield file
        file.flush()
        os.fsync(handle)
        file.close()
        draft.rename(target)
    except BaseException:
        with suppress(OSError):  # what could not be written is still in its buffer
            file.close()
        draft.unlink(missing_ok=True)
        raise
    folder = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_durably(target: Path, parts: Iterable[bytes]) -> None:
    """Write a file so that it is there as a whole after a crash, or not at all.

    Raises:
        OSError: the file system refuses; no part of the file remains.
    """
    with durable_file(target) as file:
        file.writelines(parts)


def waiting(place: Place) -> list[Path]:
    """Batch files that wait for a drain, oldest first."""
    return _listed(place.outbox)


def damaged(place: Place) -> list[Path]:
    """Batch files that were put aside as damaged."""
    return _listed(place.damaged)


def _listed(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(".ndjson")]
    except OSError:
        return []
    return [folder / name for name in sorted(names) if not name.startswith(".")]


def count_events(path: Path) -> int:
    """How many events a batch says it holds; 0 when its header can't be read."""
    try:
        with path.open("rb") as file:
            return int(orjson.loads(file.readline(4096))["events"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return 0


def read_batch(path: Path, origin: str) -> Batch:
    """Read a batch of the ledger ``origin`` and check everything in it.

    Raises:
        BatchDamaged: digest, counts, origin, an identity or a blob is not what it should be.
        FileNotFoundError: another process drained it meanwhile.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise BatchDamaged(f"it can't be read ({error.strerror})") from error
    head, _, body = data.partition(b"\n")
    try:
        header = orjson.loads(head)
        if header["format"] != _FORMAT:
            raise BatchDamaged(f"unknown format {header['format']}")
        if hashlib.sha256(body).hexdigest() != header["sha256"]:
            raise BatchDamaged("its digest differs from what was written")
        lines = [orjson.loads(line) for line in body.split(b"\n") if line]
        blobs = dict(_checked_blob(line) for line in lines if "blob" in line)
        events = tuple(checked_event(line) for line in lines if "blob" not in line)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise BatchDamaged(f"not a batch ({error})") from error
    if (len(events), len(blobs)) != (header["events"], header["blobs"]):
        raise BatchDamaged("it holds another number of events or blobs than it says")
    if any(event.origin != origin for event in events):
        raise BatchDamaged("it belongs to another ledger")
    return Batch(events, blobs)


def checked_event(values: dict[str, Any]) -> Event:
    """An event from its flat JSON object, its digests recomputed.

    Raises:
        BatchDamaged: payload digest or event id don't fit the content.
        ValueError: a field is missing or is not what an event holds there.
    """
    event = Event(
        **{name: values[name] for name in _ENVELOPE},
        provenance=tuple(values[name] for name in PROVENANCE),
        payload=values["payload"],
        payload_sha256=values["payload_sha256"],
        import_key=tuple(values["import_key"]) if values.get("import_key") else None,
    )
    check_form(event)
    if sha256_text(event.payload) != event.payload_sha256:
        raise BatchDamaged(f"payload of event {event.event_id} was altered")
    if event.identity() != event.event_id:
        raise BatchDamaged(f"envelope of event {event.event_id} was altered")
    return event


def _checked_blob(values: dict[str, Any]) -> tuple[str, bytes]:
    body = base64.b64decode(values["base64"], validate=True)
    if hashlib.sha256(body).hexdigest() != values["blob"]:
        raise BatchDamaged(f"blob {values['blob']} was altered")
    return values["blob"], body


def put_aside(place: Place, path: Path) -> None:
    """Move a damaged batch where it is kept and reported until someone looks at it."""
    place.damaged.mkdir(exist_ok=True, mode=0o700)
    path.rename(place.damaged / path.name)


def known_origin(place: Place) -> str | None:
    """The origin as the outbox folder knows it; None when it doesn't.

    Raises:
        LedgerDamaged: the file holds no UUID.
    """
    try:
        text = place.origin_file.read_text()
    except OSError:
        return None
    try:
        return str(uuid.UUID(text.partition("\n")[0].strip()))
    except ValueError:
        raise LedgerDamaged(
            f"{place.origin_file} holds no origin",
            hint="remove it; the next command takes the origin from the ledger",
        ) from None


def mint_origin(place: Place, origin: str | None = None) -> str:
    """Write the origin of this ledger once; whoever comes second gets what the first one wrote.

    Raises:
        LedgerUnwritable: the file system refuses.
    """
    place.make_folder()
    draft = place.outbox / f".origin.{uuid.uuid4().hex}"
    try:
        write_durably(draft, [(origin or str(uuid.uuid4())).encode() + b"\n"])
        try:
            os.link(draft, place.origin_file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    except OSError as error:
        raise unwritable(place.origin_file, error) from error
    found = known_origin(place)
    if found is None:
        raise LedgerDamaged(f"{place.origin_file} vanished while it was written")
    return found


def sequence(batches: Sequence[Batch]) -> list[Event]:
    """All events of some batches in the order in which they enter the chain."""
    events = [event for batch in batches for event in batch.events]
    return sorted(events, key=lambda event: (event.recorded_us, event.event_id))
