"""Entries of an event: a v0 row together with its identity."""

from __future__ import annotations

import hashlib
from typing import Any

from ledger import canonical
from ledger.canonical import Canonical

SCHEMA = "hipfire.kernel_atlas.v0"


def entry(
    row: dict[str, Any] | Canonical,
    run_id: str | None,
    *,
    status: str = "ok",
    why: list[str] | None = None,
) -> dict[str, Any]:
    """The entry of ``rows[]`` for a v0 row.

    Its identity is sha256 over the canonical row and the id of the run: the same row ingested on
    two hosts is one row, two runs that printed the same numbers stay two.

    Args:
        row: as it is exported, or its canonical text.
        run_id: identifies the process it comes from; None for rows that came without.
        status: ok, partial, quarantined or error.
        why: reasons for a status other than ok.
    """
    text = row.text if isinstance(row, Canonical) else canonical.dumps(row)[0]
    digest = hashlib.sha256(f"{text}\n{run_id or ''}".encode()).hexdigest()
    made: dict[str, Any] = {"row": row, "row_id": digest[:16], "content_sha256": digest}
    if run_id is not None:
        made["run_id"] = run_id
    if status != "ok":
        made["status"] = status
    if why:
        made["why"] = why
    return made
