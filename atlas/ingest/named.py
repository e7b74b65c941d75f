"""Manifest files that rows name: found, checked against the digest the row states, and read."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlas.errors import BadInput
from atlas.ingest.source import open_source
from ledger import canonical
from ledger.finding import Finding

if TYPE_CHECKING:
    from atlas.ingest.source import Source
    from ledger.envelope import Draft

SLOTS = ("isa", "dispatch")


@dataclass(slots=True)
class NamedManifests:
    """The manifests one row names.

    Attributes:
        digests: md5 of each file that was found and is what the row says, by slot.
        drafts: events of files that were not met before in this source.
        findings: files that are missing, or are not what the row says.
    """

    digests: dict[str, str] = field(default_factory=dict)
    drafts: tuple[Draft, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    md5: str | None = None
    draft: Draft | None = None
    problem: str = ""


def named_manifests(source: Source, artifacts: dict[str, Any], place: str) -> NamedManifests:
    """Find the manifest files of a row.

    A relative path is tried from the working directory, then beside the row's file.

    Args:
        source: the file the row stands in.
        artifacts: of the row.
        place: where the row stands, for findings.
    """
    found = NamedManifests()
    for slot in SLOTS:
        told = artifacts.get(slot)
        path = told.get("manifest_path") if isinstance(told, dict) else None
        if isinstance(path, str) and path and isinstance(told, dict):
            _add(found, source, slot, told, f"{place}.artifacts.{slot}")
    return found


def _add(
    found: NamedManifests, source: Source, slot: str, told: dict[str, Any], place: str
) -> None:
    path = told["manifest_path"]
    met = path in source.named
    if not met:
        source.named[path] = _read(path, source.path.parent)
    file: _File = source.named[path]
    stated = told.get("manifest_md5")
    if file.md5 is None:
        code, said = "manifest_unread", f"{path}: {file.problem}"
    elif isinstance(stated, str) and stated and stated.lower() != file.md5:
        code, said = "manifest_differs", f"{path} is not the file the row names: md5 {file.md5}"
    else:
        found.digests[slot] = file.md5
        if file.draft is not None and not met:
            found.drafts = (*found.drafts, file.draft)
        return
    found.findings = (*found.findings, Finding(code, said, place))


def _read(path: str, beside: Path) -> _File:
    from atlas.ingest.documents import manifest_draft

    try:
        at = next(one for one in (Path(path), beside / path) if one.is_file())
    except (StopIteration, OSError, ValueError):
        return _File(problem="not here")
    try:
        source = open_source(at, path)
        document, _ = canonical.loads(source.whole())
    except (BadInput, canonical.NotJson, OSError) as error:
        return _File(problem=str(error))
    draft = manifest_draft(source, document)
    if draft is None:
        return _File(problem="no manifest")
    return _File(md5_of_file(source), draft)


def md5_of_file(source: Source) -> str:
    """Digest by which rows name a manifest file."""
    return hashlib.md5(source.whole(), usedforsecurity=False).hexdigest()
