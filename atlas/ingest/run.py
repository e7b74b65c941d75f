"""The ingest of many files: batches of events, a report per file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from atlas.errors import BadInput
from atlas.ingest.recognise import recognise
from atlas.ingest.source import find_files, open_source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from atlas.ingest.piece import Piece
    from ledger.envelope import Draft
    from ledger.finding import Finding
    from ledger.observer import Observer
    from ledger.store import Ledger

_BATCH_EVENTS = 10_000
_BATCH_BYTES = 64 * 1024 * 1024


@dataclass(slots=True)
class FileReport:
    """What became of one file.

    Attributes:
        name: as it was named or found.
        what: what it is, in words.
        new: events it added; ``known``: events that were here already; ``waiting``: events that
            are durable, but whose drain has to wait.
        rows: rows in them; ``errors``: error records.
        findings: what was noteworthy.
        refused: why it, or a part of it, is not recorded; empty when all is.
    """

    name: str
    what: str = ""
    new: int = 0
    known: int = 0
    waiting: int = 0
    rows: int = 0
    errors: int = 0
    findings: list[Finding] = field(default_factory=list)
    refused: str = ""


def ingest(paths: Sequence[Path], ledger: Ledger, observer: Observer) -> list[FileReport]:
    """Append what is in the files; files that are broken are reported, the others go on.

    Raises:
        LedgerError: the ledger can't take it.
    """
    files = find_files(paths)
    batch = _Batch(ledger)
    reports = []
    observer.begin("files", len(files))
    for path, name in files:
        report = FileReport(name)
        reports.append(report)
        _ingest_file(path, report, batch)
        observer.advance()
    batch.flush()
    observer.end()
    return reports


def _ingest_file(path: Path, report: FileReport, batch: _Batch) -> None:
    try:
        report.what, pieces = recognise(open_source(path, report.name))
        for piece in pieces:
            _note(report, piece)
            if piece.draft is not None:
                batch.add(report, piece.draft, piece.blobs)
            for draft in piece.companions:
                batch.add(report, draft, {})
    except BadInput as error:
        report.refused = f"{error} ({error.hint})" if error.hint else str(error)


def _note(report: FileReport, piece: Piece) -> None:
    report.rows += piece.rows
    report.errors += piece.errors
    report.findings += piece.findings
    if piece.refused and not report.refused:
        first = piece.findings[0]
        report.refused = f"{report.name}: {first.where}: {first.message}"


class _Batch:
    """Events that are recorded together, and the reports they belong to."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._reports: list[FileReport] = []
        self._drafts: list[Draft] = []
        self._blobs: dict[str, bytes] = {}
        self._bytes = 0

    def add(self, report: FileReport, draft: Draft, blobs: dict[str, bytes]) -> None:
        self._reports.append(report)
        self._drafts.append(draft)
        self._blobs |= blobs
        self._bytes += sum(len(body) for body in blobs.values())
        if len(self._drafts) >= _BATCH_EVENTS or self._bytes >= _BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Record and drain, and tell each report what was new."""
        if not self._drafts:
            return
        ids = self._ledger.record(self._drafts, self._blobs).event_ids
        drained = self._ledger.drain()
        new, known = set(drained.appended.new), set(drained.appended.known)
        for event_id, report in zip(ids, self._reports, strict=True):
            if event_id in known:
                report.known += 1
            elif event_id in new:
                report.new += 1
            else:
                report.waiting += 1
        self._reports, self._drafts, self._blobs, self._bytes = [], [], {}, 0
