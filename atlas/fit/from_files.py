"""File mode: rows and manifests from files, read by the same facts and views, nothing appended."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.errors import BadInput, BadUsage, NotFound
from atlas.ingest.documents import manifest_draft
from atlas.ingest.piece import source_of
from atlas.ingest.recognise import recognise
from atlas.ingest.source import open_source
from ledger import canonical
from ledger.envelope import Draft
from ledger.passing import passing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ledger.reader import Reader
    from queries.catalog import Catalog


@dataclass(frozen=True, slots=True)
class RowFiles:
    """What is read instead of a ledger.

    Attributes:
        rows: file with v0 rows, or the output of a bench.
        index: which of its rows, from 0; negative ones count from the end.
        isa: ISA manifest, code object or folder of them, for a row that names none.
        dispatch: dispatch manifest, for a row that names none.
    """

    rows: Path
    index: int = 0
    isa: Path | None = None
    dispatch: Path | None = None


@contextmanager
def reading_files(catalog: Catalog, files: RowFiles) -> Iterator[tuple[Reader, str]]:
    """A reader over just these files, and the id of the row.

    Raises:
        BadInput: a file can't be read as what it should be.
        BadUsage: the file has no row of that index.
    """
    drafts: list[Draft] = []
    blobs: dict[str, bytes] = {}
    _, pieces = recognise(open_source(files.rows, str(files.rows)))
    for piece in pieces:
        drafts += [piece.draft] if piece.draft is not None else []
        drafts += piece.companions
        blobs |= piece.blobs
    entries = [one for draft in drafts for one in draft.payload.get("rows", [])]
    if not -len(entries) <= files.index < len(entries):
        raise BadUsage(f"{files.rows} has {len(entries)} rows, none at index {files.index}")
    row_id = str(entries[files.index]["row_id"])
    given = _given(files, drafts)
    for one in entries:
        if given and one["row_id"] == row_id:
            one["given"] = given
    with passing(catalog, drafts, blobs) as reader:
        yield reader, row_id


def _given(files: RowFiles, drafts: list[Draft]) -> dict[str, str]:
    """Digests of the given manifests, whose events are added to ``drafts``."""
    given = {}
    for slot, path in (("isa", files.isa), ("dispatch", files.dispatch)):
        if path is not None:
            draft = _inspected(path) if slot == "isa" and holds_objects(path) else _manifest(path)
            if draft.kind != f"{slot}_manifest":
                raise BadInput(f"{path}: no {slot} manifest", hint=f"it is a {draft.kind}")
            drafts.append(draft)
            given[slot] = str(draft.payload["source"]["file_md5"])
    return given


def _manifest(path: Path) -> Draft:
    source = open_source(path, str(path))
    try:
        document, _ = canonical.loads(source.whole())
    except canonical.NotJson as error:
        raise BadInput(f"{path}: broken at byte {error.offset}: {error}") from error
    draft = manifest_draft(source, document)
    if draft is None:
        raise BadInput(f"{path}: no manifest", hint="`atlas isa PATH --format json` makes one")
    return draft


def holds_objects(path: Path) -> bool:
    """It is a folder, or a file that is no JSON document: code objects to inspect.

    Raises:
        NotFound: it can't be opened.
    """
    if path.is_dir():
        return True
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip()[:1] != b"{"
    except OSError as error:
        raise NotFound(f"{path}: {error.strerror}") from error


def _inspected(path: Path) -> Draft:
    from atlas.isa.scan import ScanOptions
    from atlas.manifests.isa import inspect
    from ledger.observer import SILENT

    found = inspect([path], ScanOptions(), {}, SILENT)
    if not found.inspection.objects:
        told: list[Any] = [f"{one.code}: {one.message}" for one in found.inspection.findings]
        raise BadInput(f"{path}: no code objects", hint="; ".join(told[:3]))
    text = canonical.dumps(found.manifest)[0].encode()
    source = source_of(str(path), hashlib.sha256(text).hexdigest(), 0, ("isa-inspection", 1))
    source["file_md5"] = hashlib.md5(text, usedforsecurity=False).hexdigest()
    return Draft("isa_manifest", {"source": source, "document": found.manifest})
