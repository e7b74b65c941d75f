"""What an adapter makes of a file: drafts of events, and findings about what it could not use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ledger.envelope import Draft
    from ledger.finding import Finding


@dataclass(frozen=True, slots=True)
class Piece:
    """One event to be.

    Attributes:
        draft: the event; None when this piece only reports findings.
        blobs: bodies it names.
        rows: rows in it; ``errors``: error records in it.
        findings: what was noteworthy about its input.
        refused: a part of the file could not be read and is not recorded.
        companions: events of manifest files that the rows name.
    """

    draft: Draft | None = None
    blobs: dict[str, bytes] = field(default_factory=dict)
    rows: int = 0
    errors: int = 0
    findings: tuple[Finding, ...] = ()
    refused: bool = False
    companions: tuple[Draft, ...] = ()


def source_of(name: str, sha256: str, ordinal: int, adapter: tuple[str, int]) -> dict[str, Any]:
    """The ``source`` of an imported event: the drain knows by it what is here already."""
    return {
        "name": name,
        "file_sha256": sha256,
        "ordinal": ordinal,
        "adapter": adapter[0],
        "adapter_version": adapter[1],
    }
