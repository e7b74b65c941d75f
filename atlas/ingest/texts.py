"""Program output and everything else → drafts: rows where it is understood, kept whole anyway."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from atlas.identity.redaction import may_hold_secrets, redact_text
from atlas.ingest.piece import Piece, source_of
from atlas.outputs import PARSER_NAME, PARSER_VERSION
from atlas.rows.assemble import assemble
from atlas.rows.context import RunContext
from ledger.envelope import Draft
from ledger.finding import Finding

if TYPE_CHECKING:
    from atlas.ingest.source import Source
    from atlas.outputs.reading import Reading


def log_piece(source: Source, data: bytes, reading: Reading) -> Piece:
    """The event of a saved output: its rows, and the output itself as a blob."""
    body, hidden = _without_secrets(data)
    context = RunContext()
    made = assemble(reading, context, source.sha256)
    findings = (*hidden, *made.findings)
    payload = _payload(source, body, "log", findings) | {
        "parser": {"name": PARSER_NAME, "version": PARSER_VERSION},
        "context": context.as_json(),
        "rows": made.entries,
    }
    failed = sum(one.get("status") == "error" for one in made.entries)
    archs = {one["row"]["arch"] for one in made.entries if one["row"].get("arch")}
    provenance = {"arch": archs.pop() if len(archs) == 1 else None}
    return Piece(
        Draft("ingest", payload, provenance=provenance),
        {_sha256(body): body},
        rows=len(made.entries) - failed,
        errors=failed,
        findings=findings,
    )


def opaque_piece(source: Source, data: bytes) -> Piece:
    """The event of a file that is not understood yet: kept whole, for a reader that will be."""
    body, hidden = _without_secrets(data)
    said = "not understood yet: kept whole, so that a later version can read it"
    findings = (Finding("not_understood", said, source.name), *hidden)
    return Piece(
        Draft("ingest", _payload(source, body, "opaque", findings)),
        {_sha256(body): body},
        findings=findings,
    )


def _payload(
    source: Source, body: bytes, adapter: str, findings: tuple[Finding, ...]
) -> dict[str, Any]:
    return {
        "source": source_of(source.name, source.sha256, 0, (adapter, 1)),
        "output": {"log": {"sha256": _sha256(body), "n_bytes": len(body)}},
        "findings": [one.as_json() for one in findings],
    }


def _without_secrets(data: bytes) -> tuple[bytes, tuple[Finding, ...]]:
    told = data.decode("utf-8", "surrogateescape")
    if not may_hold_secrets(told):
        return data, ()
    text, findings = redact_text(told, "log")
    return text.encode("utf-8", "surrogateescape"), tuple(findings)


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
