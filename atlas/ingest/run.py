"""The ingest of many files: batches of events, a report per file."""

from __future__ import annotations

import gc
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
    from ledger.append import Appended
    from ledger.envelope import Draft
    from ledger.finding import Finding
    from ledger.intake import Intake
    from ledger.observer import Observer
    from ledger.store import Ledger


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
    with _without_collector(), ledger.intake() as intake:
        taken = _Taken(intake)
        for (path, _), report in zip(files, reports, strict=True):
            _ingest_file(path, report, taken)
            observer.advance()
    taken.finish()
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


def _ingest_file(path: Path, report: FileReport, taken: _Taken) -> None:
    try:
        report.what, pieces = recognise(open_source(path, report.name))
        for piece in pieces:
            _note(report, piece)
            if piece.draft is not None:
                taken.add(report, piece.draft, piece.blobs)
            for draft in piece.companions:
                taken.add(report, draft, {})
    except BadInput as error:
        report.refused = f"{error} ({error.hint})" if error.hint else str(error)


def _note(report: FileReport, piece: Piece) -> None:
    report.rows += piece.rows
    report.errors += piece.errors
    report.findings += piece.findings
    if piece.refused and not report.refused:
        first = piece.findings[0]
        report.refused = f"{report.name}: {first.where}: {first.message}"


class _Taken:
    """What the intake took, and which report each event belongs to until its fate is known."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._pending: dict[str, FileReport] = {}

    def add(self, report: FileReport, draft: Draft, blobs: dict[str, bytes]) -> None:
        """Hand an event to the intake, and tell the reports what has been appended meanwhile."""
        self._pending[self._intake.add(draft, blobs)] = report
        for appended in self._intake.appended():
            self._settle(appended)

    def finish(self) -> None:
        """Tell the reports what became of the rest, once the intake is closed."""
        for appended in self._intake.appended():
            self._settle(appended)
        for report in self._pending.values():
            report.waiting += 1

    def _settle(self, appended: Appended) -> None:
        for event_id in appended.new:
            if event_id in self._pending:
                self._pending.pop(event_id).new += 1
        for event_id in appended.known:
            if event_id in self._pending:
                self._pending.pop(event_id).known += 1
