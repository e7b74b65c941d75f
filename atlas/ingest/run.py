"""The ingest of many files: batches of events, a report per file."""

from __future__ import annotations

import gc
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from atlas.errors import BadInput
from atlas.ingest.recognise import recognise
from atlas.ingest.source import find_files, open_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from atlas.ingest.piece import Piece
    from ledger.drain import Drained
    from ledger.envelope import Draft
    from ledger.finding import Finding
    from ledger.observer import Observer
    from ledger.store import Ledger

_BATCH_EVENTS = 2_000
_DRAIN_EVENTS = 10_000
"""From so many events on, a thread drains while more is read."""
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
    reports = [FileReport(name) for _, name in files]
    observer.begin("files", len(files))
    with _without_collector(), ThreadPoolExecutor(1) as drainer:
        batch = _Batch(ledger, drainer)
        for (path, _), report in zip(files, reports, strict=True):
            _ingest_file(path, report, batch)
            observer.advance()
        batch.flush()
    observer.end()
    return reports


@contextmanager
def _without_collector() -> Iterator[None]:
    """Without the search for cycles: JSON values have none, and looking for them costs time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


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
    """Events that are recorded together; a thread drains what was recorded while more is read."""

    def __init__(self, ledger: Ledger, drainer: ThreadPoolExecutor) -> None:
        self._ledger = ledger
        self._drainer = drainer
        self._draining: Future[Drained] | None = None
        self._recorded = 0
        self._done = False
        self._pending: dict[str, FileReport] = {}
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
            self._record()
        if self._recorded >= _DRAIN_EVENTS and self._draining is None:
            self._draining = self._drainer.submit(self._ledger.drain, more=lambda: not self._done)

    def flush(self) -> None:
        """Record and drain what is left, and tell each report what was new."""
        self._record()
        self._done = True
        if self._draining is not None:
            self._settle(self._draining.result())
        self._settle(self._ledger.drain())
        for report in self._pending.values():
            report.waiting += 1

    def _record(self) -> None:
        if self._drafts:
            ids = self._ledger.record(self._drafts, self._blobs).event_ids
            self._pending |= zip(ids, self._reports, strict=True)
            self._recorded += len(ids)
        self._reports, self._drafts, self._blobs, self._bytes = [], [], {}, 0

    def _settle(self, drained: Drained) -> None:
        appended = drained.appended
        for event_id in appended.new:
            if event_id in self._pending:
                self._pending.pop(event_id).new += 1
        for event_id in appended.known:
            if event_id in self._pending:
                self._pending.pop(event_id).known += 1
