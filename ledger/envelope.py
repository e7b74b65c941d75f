"""The event: an immutable fact with provenance, its identity and its place in the chain."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from ledger import canonical
from ledger.finding import Finding

FORMAT = "atlas1"
GENESIS = "0" * 64
PROVENANCE = (
    "git_sha",
    "diff_md5",
    "tree_md5",
    "binary_md5",
    "model_md5",
    "prompt_md5",
    "arch",
)
"""Provenance columns, in the order in which they are hashed."""

_MD5 = re.compile(r"[0-9a-f]{32}")
_FORMS = dict.fromkeys(PROVENANCE, _MD5) | {
    "git_sha": re.compile(r"[0-9a-f]{7,40}"),
    "arch": re.compile(r"(?!unknown$)[!-~]{1,64}"),
}


@dataclass(frozen=True, slots=True)
class Draft:
    """What a recorder knows of an event: everything but its identity and its place.

    Attributes:
        kind: what was observed; ``version`` tells which form of the payload this is.
        payload: a JSON object.
        host: as reported; ``unknown`` when it was not.
        provenance: values for the `PROVENANCE` columns; what is missing is unknown.
        recorded_us: UTC microseconds since 1970; now when None.
    """

    kind: str
    payload: dict[str, Any]
    host: str = "unknown"
    provenance: dict[str, str | None] = field(default_factory=dict)
    recorded_us: int | None = None
    version: int = 1


ImportKey = tuple[str, int, str]
"""Digest of the imported file, place in it, adapter: the same again adds nothing."""


class Event(NamedTuple):
    """A sealed event: its identity is fixed, its place in the chain is not yet known.

    Attributes:
        provenance: the seven `PROVENANCE` values in order, None for unknown.
        payload: canonical JSON text, the exact text that is hashed and stored.
        import_key: what it was imported from, as its payload's ``source`` says; None for what was
            observed here.
    """

    event_id: str
    origin: str
    kind: str
    version: int
    recorded_us: int
    host: str
    provenance: tuple[str | None, ...]
    payload: str
    payload_sha256: str
    import_key: ImportKey | None = None

    def chained(self, seq: int, prev_hash: str) -> str:
        """The event's hash at ``seq`` behind ``prev_hash``: sha256 over the envelope's lines."""
        lines = (FORMAT, self.origin, str(seq), self.event_id, self._middle(), prev_hash)
        return sha256_text("\n".join(lines))

    def identity(self) -> str:
        """The event id: 32 hex digits of sha256 over all lines but seq, id and prev_hash."""
        return _identity(self.origin, self._middle())

    def _middle(self) -> str:
        return _middle(
            self.kind,
            self.version,
            self.recorded_us,
            self.host,
            self.provenance,
            self.payload_sha256,
        )


def _middle(
    kind: str,
    version: int,
    recorded_us: int,
    host: str,
    provenance: tuple[str | None, ...],
    payload_sha256: str,
) -> str:
    """The lines that identity and chain hash have in common."""
    known = "\n".join([value or "" for value in provenance])
    return f"{kind}\n{version}\n{recorded_us}\n{host}\n{known}\n{payload_sha256}"


def _identity(origin: str, middle: str) -> str:
    return sha256_text(f"{FORMAT}\n{origin}\n{middle}")[:32]


def seal(draft: Draft, origin: str, now_us: int) -> Event:
    """Give a draft its identity.

    Provenance that fails its form (git sha 7-40 hex, md5 32 hex) becomes unknown; it and whatever
    canonical JSON had to replace are told in the payload's ``findings``.

    Raises:
        NotJson: the payload has no JSON form.
        ValueError: an envelope field could not be stored.
    """
    provenance, findings = _formed(tuple(map(draft.provenance.get, PROVENANCE)))
    payload, replaced = canonical.dumps(draft.payload)
    if findings or replaced:
        told = [one.as_json() for one in (*findings, *replaced)]
        told = [*draft.payload.get("findings", []), *told]
        payload, _ = canonical.dumps({**draft.payload, "findings": told})
    digest = sha256_text(payload)
    host = _one_line(draft.host) or "unknown"
    recorded_us = now_us if draft.recorded_us is None else draft.recorded_us
    middle = _middle(draft.kind, draft.version, recorded_us, host, provenance, digest)
    event = Event(
        event_id=_identity(origin, middle),
        origin=origin,
        kind=draft.kind,
        version=draft.version,
        recorded_us=recorded_us,
        host=host,
        provenance=provenance,
        payload=payload,
        payload_sha256=digest,
        import_key=import_key(draft.payload),
    )
    check_form(event)
    return event


def check_form(event: Event) -> None:
    """Make sure that the database can hold the event: one that it can't would block all others.

    Raises:
        ValueError: a field has another type, holds a newline, or is out of range.
    """
    _check_lines((event.origin, event.kind, event.host), event.provenance)
    if not (type(event.version) is int and 0 < event.version < 2**31):
        raise ValueError(f"version {event.version!r} is no small number")
    if not (type(event.recorded_us) is int and -(2**63) <= event.recorded_us < 2**63):
        raise ValueError(f"{event.recorded_us!r} is no time in microseconds")
    if type(event.payload) is not str or type(event.payload_sha256) is not str:
        raise ValueError("the payload is no text")


@lru_cache(maxsize=4096)
def _check_lines(known: tuple[str, str, str], provenance: tuple[str | None, ...]) -> None:
    """Check the envelope's texts; most events of a file have them in common."""
    values = (*known, *provenance)
    if not all(value is None or (type(value) is str and "\n" not in value) for value in values):
        raise ValueError("an envelope field is no single line of text")
    if None in known or not known[1]:
        raise ValueError("origin, kind and host can't be unknown")


def import_key(payload: dict[str, Any]) -> ImportKey | None:
    """The key of what an event was imported from, None when its payload names no source."""
    source = payload.get("source")
    if not isinstance(source, dict):
        return None
    key = (source.get("file_sha256"), source.get("ordinal"), source.get("adapter"))
    match key:
        case (str() as digest, int() as ordinal, str() as adapter):
            return digest, ordinal, adapter
    return None


def sha256_text(text: str) -> str:
    """Lower-case hex sha256 of the UTF-8 bytes of ``text``."""
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=4096)
def _formed(
    given: tuple[str | None, ...],
) -> tuple[tuple[str | None, ...], tuple[Finding, ...]]:
    """The values that have their form, and what is told of the others."""
    findings: list[Finding] = []
    values: list[str | None] = []
    for name, stated in zip(PROVENANCE, given, strict=True):
        value = stated
        if value is not None and not _FORMS[name].fullmatch(value):
            if value not in ("", "unknown"):
                shown = value[:80].encode("ascii", "backslashreplace").decode()
                findings.append(
                    Finding("provenance_malformed", f"not the form of a {name}: {shown}", name)
                )
            value = None
        values.append(value)
    return tuple(values), tuple(findings)


@lru_cache(maxsize=4096)
def _one_line(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode().split())
