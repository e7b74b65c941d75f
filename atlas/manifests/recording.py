"""Making manifests durable."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from atlas.identity.host import observe_host

if TYPE_CHECKING:
    from atlas.manifests.isa import Inspected
    from ledger.envelope import Draft
    from ledger.store import Ledger

_EVENTS_AT_ONCE = 10_000


def record_inspected(
    found: Inspected, ledger: Ledger, *, session_id: str | None = None, host: str | None = None
) -> str | None:
    """Record what was inspected, objects first, in batches.

    Returns:
        Event id of the manifest; None when no object was inspected.

    Raises:
        LedgerUnwritable: the file system refuses.
    """
    if not found.inspection.objects:
        return None
    drafts = found.drafts(session_id or str(uuid.uuid4()), host or observe_host().hostname)
    return record_all(drafts, ledger)


def record_all(drafts: list[Draft], ledger: Ledger) -> str:
    """Record drafts in order; gives the id of the last."""
    last = ""
    for begin in range(0, len(drafts), _EVENTS_AT_ONCE):
        last = ledger.record(drafts[begin : begin + _EVENTS_AT_ONCE]).event_ids[-1]
    return last
