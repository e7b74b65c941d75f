"""The chain audit: what tampering the hash chain can show, found by one SQL statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger import facts
from ledger.statements import statement

if TYPE_CHECKING:
    from ledger.catalog import Catalog
    from ledger.reader import Reader, Result

KINDS = {
    "collection": 1,
    "ingest": 1,
    "reparse": 1,
    "isa_object": 1,
    "isa_manifest": 1,
    "dispatch_manifest": 1,
    "task": 1,
    "eval_run": 1,
    "eval": 1,
    "baseline": 1,
    "ab": 1,
    "annotation": 1,
    "retraction": 1,
}
"""Kinds of events and the newest version of each that this version of Kernel Atlas knows."""

LIMITS = (
    "A chain shows what was changed within it. It can't show a cut-off end, a removed origin or a "
    "rewritten end: compare with a checkpoint kept elsewhere for that."
)
"""What a clean audit does not promise; shown wherever people read its result."""


def audit_chain(reader: Reader, *, payloads: bool = True) -> Result:
    """Every fault of the chain, one row each: severity, fault, origin, seq, event_id, detail.

    Args:
        reader: an open ledger.
        payloads: recompute the digests of payloads and blobs too; without, only the envelopes and
            links are checked, which reads a small part of the file.
    """
    known = [f"{kind}/{v}" for kind, newest in KINDS.items() for v in range(1, newest + 1)]
    return reader.ask(statement("audit_chain"), {"kinds": known, "payloads": payloads})


def audit_facts(reader: Reader, catalog: Catalog) -> Result:
    """Differences between the fact tables and what their definitions give, and failed facts.

    Returns:
        severity, fact, event_id, detail: a fault for each event whose rows differ, a note for each
        event whose facts could not be derived.
    """
    connection = reader.connection
    connection.execute(statement("stage_all"))
    facts.derive(connection, catalog, catalog.facts)
    found = reader.ask(statement("failed_facts"))
    for fact in catalog.facts:
        found.rows.extend(reader.ask(fact.compare).rows)
    return found
