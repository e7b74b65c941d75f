"""JSON documents → drafts: v0 rows of both producers, manifests, tasks, results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.identity.redaction import redact_json
from atlas.ingest.named import md5_of_file, named_manifests
from atlas.ingest.piece import Piece, source_of
from atlas.rows.entry import SCHEMA, entry
from ledger import canonical
from ledger.canonical import Canonical
from ledger.envelope import Draft
from ledger.finding import Finding

if TYPE_CHECKING:
    from atlas.ingest.source import Source

_PREFIX = "hipfire.kernel_atlas."
_KINDS = {
    "isa.v0": ("isa_manifest", "ISA manifest"),
    "dispatch.v0": ("dispatch_manifest", "dispatch manifest"),
    "task.v0": ("task", "task"),
    "eval.v0": ("eval", "eval result"),
    "baseline.v0": ("baseline", "baseline"),
    "graph_ab.v0": ("ab", "graph A/B"),
}
_LEDGER_LINE = {"task_id", "captured_at_utc", "status", "metric", "baseline_source"}
_PHASES = ("prefill", "decode_ar", "decode_dflash", "ar", "dflash")
_OBJECTS = ("metrics", "artifacts", "model", "provenance", "variant")


def document_kind(document: Any) -> str | None:
    """What a JSON document is, in words; None when it is nothing known."""
    if not isinstance(document, dict):
        return None
    schema = document.get("schema")
    if schema == SCHEMA:
        return "v0 row"
    if isinstance(schema, str) and schema.removeprefix(_PREFIX) in _KINDS:
        return _KINDS[schema.removeprefix(_PREFIX)][1]
    return "eval ledger line" if document.keys() >= _LEDGER_LINE else None


def document_piece(
    source: Source, ordinal: int, document: Any, text: str | None, place: str
) -> Piece:
    """The event of one document; one that is not known is kept all the same.

    Args:
        source: the file it stands in.
        ordinal: its place among the file's documents or lines.
        document: its value, left as it is except for secrets.
        text: its canonical text; None when it could hold a secret and has to be looked through.
        place: where it stands, for findings.
    """
    findings: list[Finding] = []
    if text is None:
        document, findings = redact_json(document)
        text = canonical.dumps(document)[0]
    known_as = document_kind(document)
    if known_as == "v0 row":
        made = entry(Canonical(text), _text(document.get("run_id")))
        payload: dict[str, Any] = {
            "source": source_of(source.name, source.sha256, ordinal, ("v0-row", 1)),
            "rows": [made],
        }
        named = named_manifests(source, _object(document, "artifacts"), place)
        if named.digests:
            made["manifests"] = named.digests
        return _row_piece(document, payload, [*findings, *named.findings], place, named.drafts)
    if known_as is None:
        said = "not understood yet: kept as it is"
        findings = [*findings, Finding("not_understood", said, place)]
    kind = _event_kind(document)
    origin = source_of(source.name, source.sha256, ordinal, (f"{kind}-document", 1))
    if kind in ("isa_manifest", "dispatch_manifest"):
        origin["file_md5"] = md5_of_file(source)
    payload = {
        "source": origin,
        "document": Canonical(text),
        "findings": [one.as_json() for one in findings],
    }
    known = document if isinstance(document, dict) else {}
    host = _object(known, "target").get("host")
    provenance = {"arch": _text(known.get("arch"))}
    draft = Draft(kind, payload, _text(host) or "unknown", provenance)
    return Piece(draft, findings=tuple(findings))


def manifest_draft(source: Source, document: Any) -> Draft | None:
    """The event of a file that should be a manifest; None when it is none."""
    if document_kind(document) not in ("ISA manifest", "dispatch manifest"):
        return None
    return document_piece(source, 0, document, None, "document").draft


def _event_kind(document: Any) -> str:
    """Kind of the event that keeps a document which is no v0 row."""
    if document_kind(document) is None:
        return "ingest"
    schema = str(document.get("schema", "")).removeprefix(_PREFIX)
    return _KINDS[schema][0] if schema in _KINDS else "eval"


def _row_piece(
    row: dict[str, Any],
    payload: dict[str, Any],
    findings: list[Finding],
    place: str,
    companions: tuple[Draft, ...],
) -> Piece:
    phase = row.get("phase")
    if phase not in _PHASES:
        said = f"phase {phase!r} is outside the contract: kept, never compared"
        findings = [*findings, Finding("phase_unknown", said, place)]
    for name in _OBJECTS:
        if row.get(name) is not None and not isinstance(row[name], dict):
            said = f"{name} is no object: kept, not read"
            findings = [*findings, Finding("field_malformed", said, f"{place}.{name}")]
    if findings:
        payload["findings"] = [one.as_json() for one in findings]
    failed = phase in ("ar", "dflash") or row.get("status") == "error"
    draft = Draft("ingest", payload, _text(row.get("hostname")) or "unknown", _provenance(row))
    counts = (int(not failed), int(failed))
    return Piece(draft, {}, *counts, tuple(findings), companions=companions)


def _provenance(row: dict[str, Any]) -> dict[str, str | None]:
    stated = _object(row, "provenance")
    artifacts = _object(row, "artifacts")
    return {
        "git_sha": _text(row.get("git_sha")),
        "diff_md5": _text(stated.get("diff_md5")),
        "tree_md5": _text(stated.get("tree_md5")),
        "binary_md5": _text(stated.get("binary_md5")),
        "model_md5": _text(_object(row, "model").get("md5") or artifacts.get("target_md5")),
        "prompt_md5": _text(artifacts.get("prompt_md5")),
        "arch": _text(row.get("arch") or _object(row, "metrics").get("arch")),
    }


def _object(row: dict[str, Any], name: str) -> dict[str, Any]:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
