"""A ledger worth tampering with, and both auditors asked about it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from support.mutants import mutate
from support.reference_audit import slow_audit
from support.toy import plainly, thing, toy_ledger

from ledger.audit import KINDS, audit_chain
from ledger.envelope import Draft
from ledger.outbox import mint_origin
from ledger.reader import Reader

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

KNOWN = tuple(f"{kind}/{v}" for kind, newest in KINDS.items() for v in range(1, newest + 1))

Found = list[tuple[str, str, str | None, int | None, str | None]]


def sound_ledger(folder: Path) -> Path:
    """Two origins, 14 events, two blobs, one unknown kind; nothing wrong with any of it."""
    paths = []
    for name, start, count in (("a", 0, 9), ("b", 100, 4)):
        (folder / name).mkdir()
        ledger = toy_ledger(folder / name)
        mint_origin(ledger.place, f"{name * 8}-0000-4000-8000-{name * 12}")
        body = f"output of {name}".encode()
        sha = hashlib.sha256(body).hexdigest()
        output = {"stdout": {"sha256": sha, "n_bytes": len(body)}}
        ledger.record([thing(start, output=output)], {sha: body})
        ledger.record([thing(start + number) for number in range(1, count)])
        ledger.drain()
        paths.append(ledger.place.file)
    ledger = toy_ledger(folder / "a")
    ledger.record([Draft("from_the_future", {}, recorded_us=1_800_000_000_000_000)])
    ledger.drain()
    with plainly(paths[0]) as con:
        con.execute(f"ATTACH '{paths[1]}' AS other (READ_ONLY)")
        con.execute("INSERT INTO events FROM other.events")
        con.execute("INSERT INTO blobs FROM other.blobs")
    return paths[0]


def quick_audit(con: duckdb.DuckDBPyConnection) -> Found:
    """What the SQL finds, in the shape of the slow auditor."""
    found = audit_chain(Reader(con)).dicts()
    columns = ("severity", "fault", "origin", "seq", "event_id")
    return sorted((tuple(one[name] for name in columns) for one in found), key=repr)


@dataclass(slots=True)
class Tally:
    """Mutants that were made, those that showed, and those the auditors disagree about."""

    made: int = 0
    shown: int = 0
    disagreed: list[str] = field(default_factory=list)


def audit_mutants(con: duckdb.DuckDBPyConnection, seeds: range) -> Tally:
    """Tamper, ask both auditors, take it back; for every seed."""
    tally = Tally()
    sound = slow_audit(con, KNOWN)
    for seed in seeds:
        con.execute("BEGIN")
        what = mutate(con, seed)
        slow, quick = slow_audit(con, KNOWN), quick_audit(con)
        con.execute("ROLLBACK")
        tally.made += 1
        tally.shown += slow != sound
        if slow != quick:
            tally.disagreed.append(f"seed {seed}, {what}: {set(slow) ^ set(quick)}")
    return tally
