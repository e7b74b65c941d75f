"""Code objects → events: one per object that is not known yet, and one for the manifest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.isa.files import read_file, select_files
from atlas.isa.manifest import MANIFEST_SCHEMA, build_manifest
from atlas.isa.objects import ObjectFacts, md5_of
from atlas.isa.problem import ObjectProblem
from atlas.isa.scan import Inspection, ScanOptions, inspect_paths
from ledger import outbox
from ledger.envelope import Draft
from ledger.errors import LedgerMissing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from atlas.isa.scan import InspectedFile
    from ledger.observer import Observer
    from ledger.store import Ledger
    from queries.catalog import Catalog

_BATCHES_LEFT = 20
"""Batches of one event that may wait while objects are looked up."""


@dataclass(frozen=True, slots=True)
class Inspected:
    """What was inspected.

    Attributes:
        inspection: files, findings and what was left out.
        manifest: the manifest people exchange, objects inside.
        known: digests of files whose facts were recorded earlier.
    """

    inspection: Inspection
    manifest: dict[str, Any]
    known: frozenset[str]

    def drafts(self, session_id: str, host: str) -> list[Draft]:
        """The events: objects that are new, and last the manifest, which only names them."""
        fresh: dict[str, InspectedFile] = {}
        for file in self.inspection.objects:
            if file.facts.md5 not in self.known:
                fresh.setdefault(file.facts.md5, file)
        objects = [
            Draft("isa_object", file.whole.payload, host, {"arch": _only_arch(file)})
            for file in fresh.values()
        ]
        return [*objects, self._manifest_draft(session_id, host)]

    def _manifest_draft(self, session_id: str, host: str) -> Draft:
        inspection = self.inspection
        told = {key: value for key, value in self.manifest.items() if key != "objects"}
        payload = {
            "session_id": session_id,
            "manifest": {
                **told,
                "schema": MANIFEST_SCHEMA,
                "members": [_member(file) for file in inspection.objects],
            },
            "skipped": [{"path": one.path, "reason": one.reason} for one in inspection.skipped],
            "beyond_limit": inspection.beyond_limit,
            "findings": [finding.as_json() for finding in inspection.findings],
        }
        return Draft("isa_manifest", payload, host, {"arch": self.manifest["arch"]})


def inspect(
    paths: Sequence[str | Path],
    options: ScanOptions,
    known: Mapping[str, dict[str, Any]],
    observer: Observer,
) -> Inspected:
    """Inspect files and folders; objects that are known are only hashed.

    Args:
        paths: files and folders.
        options: which of them, and which images.
        known: facts of earlier inspections, by md5.
        observer: told of progress.

    Raises:
        BadUsage: the filter is no regular expression.
        NotFound: no file holds an image for the asked arch.
    """
    try:
        inspection = inspect_paths(paths, options, _Progress(observer), known.get)
    finally:
        observer.end()
    current = frozenset(md5 for md5, told in known.items() if ObjectFacts(told).current)
    manifest = build_manifest(inspection.objects, arch=options.arch, captured_at=datetime.now(UTC))
    return Inspected(inspection, manifest, current)


def known_payloads(
    paths: Sequence[str | Path], options: ScanOptions, ledger: Ledger, catalog: Catalog
) -> dict[str, dict[str, Any]]:
    """Recorded facts of the objects at these paths, by md5."""
    import orjson

    md5s = list(_digests(path for path, _ in select_files(paths, options.pattern).files))
    try:
        with ledger.reader(drained=_objects_wait(ledger)) as reader:
            rows = ask(reader, catalog, "known_objects", md5s=md5s).rows
    except LedgerMissing:
        return {}
    return {md5: orjson.loads(text) for md5, text in rows}


def _objects_wait(ledger: Ledger) -> bool:
    """Whether facts of objects may wait in the outbox: they come in one batch with a manifest."""
    batches = outbox.waiting(ledger.place)
    return len(batches) > _BATCHES_LEFT or any(outbox.count_events(one) > 1 for one in batches)


def _digests(paths: Iterable[str]) -> Iterable[str]:
    for path in paths:
        try:
            yield md5_of(read_file(path))
        except ObjectProblem:
            continue  # the inspection itself will say what is wrong with it


def _member(file: InspectedFile) -> dict[str, Any]:
    member: dict[str, Any] = {"path": file.path, "md5": file.facts.md5}
    if len(file.facts.images) != len(file.whole.images):
        chosen = {id(image) for image in file.facts.images}
        member["images"] = [
            place for place, image in enumerate(file.whole.images) if id(image) in chosen
        ]
    return member


def _only_arch(file: InspectedFile) -> str | None:
    archs = {str(image["arch"]) for image in file.whole.images if image["arch"]}
    return archs.pop() if len(archs) == 1 else None


def manifest_text(manifest: dict[str, Any]) -> bytes:
    """The file form of a manifest."""
    return json.dumps(manifest, ensure_ascii=False, indent=1).encode() + b"\n"


class _Progress:
    """Tells an observer of the ledger what an inspection tells its own."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def started(self, total: int) -> None:
        """Begin the bar."""
        self._observer.begin("objects", total)

    def inspected(self, path: str, *, reused: bool) -> None:
        """Move the bar."""
        del path, reused
        self._observer.advance()
