"""The slow auditor: the chain checked row by row in plain Python, from the words of the format.

It shares no code with the ledger. ``hash`` is sha256 over lines joined by newlines: ``atlas1``,
origin, seq, event id, kind, version, time, host, seven provenance values (unknown is empty), digest
of the payload, hash before. The event id is the first half of the digest of the same lines without
seq, event id and hash before.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

Fault = tuple[str, str, str | None, int | None, str | None]
"""severity, fault, origin, seq, event id"""

_PROVENANCE = (
    "git_sha",
    "diff_md5",
    "tree_md5",
    "binary_md5",
    "model_md5",
    "prompt_md5",
    "arch",
)


def slow_audit(con: duckdb.DuckDBPyConnection, known_kinds: Sequence[str]) -> list[Fault]:
    """Every fault of a ledger, sorted."""
    events, conflicts = _read(con, "events"), _read(con, "conflicts")
    found: list[Fault] = []
    for event in events + conflicts:
        found += _of_one(event, known_kinds)
    for origin, chain in _by_origin(events).items():
        found += _of_chain(origin, chain)
    found += _twice(events)
    found += _of_branches(events, conflicts)
    for origin, branch in _by_origin(conflicts).items():
        first = min(event["seq"] for event in branch)
        found.append(("fault", "fork", origin, first, min(e["event_id"] for e in branch)))
    found += _blobs(con, events + conflicts)
    return sorted(found, key=repr)


def _read(con: duckdb.DuckDBPyConnection, table: str) -> list[dict[str, Any]]:
    cursor = con.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _digest(*lines: Any) -> str:
    return hashlib.sha256("\n".join(str(line) for line in lines).encode()).hexdigest()


def _of_one(event: dict[str, Any], known_kinds: Sequence[str]) -> Iterator[Fault]:
    place = event["origin"], event["seq"], event["event_id"]
    if hashlib.sha256(event["payload"].encode()).hexdigest() != event["payload_sha256"]:
        yield ("fault", "altered payload", *place)
    middle = (
        event["kind"],
        event["version"],
        event["recorded_us"],
        event["host"],
        *("" if event[name] is None else event[name] for name in _PROVENANCE),
        event["payload_sha256"],
    )
    identity = _digest("atlas1", event["origin"], *middle)[:32]
    whole = _digest(
        "atlas1", event["origin"], event["seq"], event["event_id"], *middle, event["prev_hash"]
    )
    blank = any(event[name] == "" for name in _PROVENANCE)
    if identity != event["event_id"] or whole != event["hash"] or blank:
        yield ("fault", "altered envelope", *place)
    if f"{event['kind']}/{event['version']}" not in known_kinds:
        yield ("note", "unknown kind", *place)


def _by_origin(events: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for event in sorted(events, key=lambda event: (event["seq"], event["event_id"])):
        found[event["origin"]].append(event)
    return found


def _of_chain(origin: str, chain: list[dict[str, Any]]) -> Iterator[Fault]:
    seq, last = -1, "0" * 64
    for event in chain:
        place = origin, event["seq"], event["event_id"]
        if event["seq"] == seq:
            yield ("fault", "duplicate", *place)
        elif event["seq"] > seq + 1:
            yield ("fault", "gap", *place)
        elif event["prev_hash"] != last:
            yield ("fault", "broken link", *place)
        seq, last = event["seq"], event["hash"]


def _of_branches(events: list[dict[str, Any]], conflicts: list[dict[str, Any]]) -> Iterator[Fault]:
    places = {(e["origin"], e["seq"], e["hash"]) for e in events + conflicts}
    for event in conflicts:
        starts = event["seq"] == 0 and event["prev_hash"] == "0" * 64
        if not starts and (event["origin"], event["seq"] - 1, event["prev_hash"]) not in places:
            yield ("fault", "broken link", event["origin"], event["seq"], event["event_id"])


def _twice(events: list[dict[str, Any]]) -> Iterator[Fault]:
    times = Counter(event["event_id"] for event in events)
    for event_id, count in times.items():
        same = [event for event in events if event["event_id"] == event_id]
        seqs = {event["seq"] for event in same}
        if count > 1 and len(seqs) > 1:
            yield ("fault", "duplicate", min(e["origin"] for e in same), min(seqs), event_id)


def _blobs(con: duckdb.DuckDBPyConnection, events: list[dict[str, Any]]) -> Iterator[Fault]:
    kept = set()
    for sha256, n_bytes, body in con.execute("FROM blobs").fetchall():
        kept.add(sha256)
        if hashlib.sha256(body).hexdigest() != sha256 or len(body) != n_bytes:
            yield ("fault", "altered blob", None, None, None)
    named = set()
    for event in events:
        if hashlib.sha256(event["payload"].encode()).hexdigest() == event["payload_sha256"]:
            for output in json.loads(event["payload"]).get("output", {}).values():
                named.add((event["origin"], event["seq"], event["event_id"], output["sha256"]))
    for *place, sha256 in named:
        if sha256 not in kept:
            yield ("fault", "missing blob", *place)
