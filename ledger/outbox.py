"""The outbox: how an event becomes durable without opening the database.

A batch is one file of NDJSON: a header line with a digest of all that follows, then the blobs, then
the events. It is written under another name, synced, renamed, and the folder is synced: after that
the batch exists as a whole, or (before) not at all.
"""

from __future__ import annotations

import base64
import hashlib
import os
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from ledger.envelope import PROVENANCE, Event, check_form, sha256_text
from ledger.errors import LedgerDamaged
from ledger.place import Place, unwritable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_FORMAT = "atlas-outbox-1"
_ENVELOPE = ("event_id", "origin", "kind", "version", "recorded_us", "host")


@dataclass(frozen=True, slots=True)
class Batch:
    """Events that were recorded together, and the blobs they name (by sha256 of the bytes)."""

    events: tuple[Event, ...]
    blobs: dict[str, bytes]


class BatchDamaged(Exception):
    """A batch file is not what was written; the message says how."""


def write_batch(place: Place, batch: Batch) -> Path:
    """Make a batch durable.

    Returns:
        The batch's file.

    Raises:
        LedgerUnwritable: the file system refuses; nothing of the batch remains then.
    """
    place.make_folder()
    body = b"".join(_lines(batch))
    header = {
        "format": _FORMAT,
        "events": len(batch.events),
        "blobs": len(batch.blobs),
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    name = f"{batch.events[0].recorded_us:016d}-{uuid.uuid4().hex[:12]}.ndjson"
    target = place.outbox / name
    try:
        write_durably(target, [orjson.dumps(header), b"\n", body])
    except OSError as error:
        raise unwritable(target, error) from error
    return target


def write_durably(target: Path, parts: Iterable[bytes]) -> None:
    """Write a file so that it is there as a whole after a crash, or not at all.

    Raises:
        OSError: the file system refuses; no part of the file remains.
    """
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(target)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    folder = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _lines(batch: Batch) -> Iterable[bytes]:
    for digest, body in batch.blobs.items():
        yield orjson.dumps({"blob": digest, "base64": base64.b64encode(body).decode()}) + b"\n"
    for event in batch.events:
        line = envelope_json(event) | {"import_key": event.import_key}
        yield orjson.dumps(line) + b"\n"


def envelope_json(event: Event) -> dict[str, Any]:
    """The event's envelope and payload as one flat JSON object."""
    values = {name: getattr(event, name) for name in _ENVELOPE}
    values |= dict(zip(PROVENANCE, event.provenance, strict=True))
    return values | {"payload": event.payload, "payload_sha256": event.payload_sha256}


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
        count = int(header["blobs"])
        blobs = dict(_checked_blob(line) for line in lines[:count])
        events = tuple(checked_event(line) for line in lines[count:])
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise BatchDamaged(f"not a batch ({error})") from error
    if len(events) != header["events"]:
        raise BatchDamaged("it holds another number of events than it says")
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
