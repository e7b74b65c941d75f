"""Many files → their facts, each distinct content inspected once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from atlas.errors import NotFound
from atlas.isa.files import Skipped, read_file, select_files
from atlas.isa.objects import ObjectFacts, inspect_bytes, md5_of, only_arch, targets_inside
from atlas.isa.problem import HARMLESS, ObjectProblem
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    Known = Callable[[str], dict[str, Any] | None]
    """md5 → payload of facts recorded earlier, of whatever version, or None."""


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """What to inspect.

    Attributes:
        arch: only images for this target.
        pattern: regular expression searched in the paths of files found in folders.
        limit: at most this many files.
    """

    arch: str | None = None
    pattern: str | None = None
    limit: int | None = None


class Observer(Protocol):
    """Is told of progress."""

    def started(self, total: int) -> None:
        """So many files will be looked at."""

    def inspected(self, path: str, *, reused: bool) -> None:
        """One file is done; ``reused``: its facts were known."""


class Silent:
    """An observer that does nothing."""

    def started(self, total: int) -> None:
        """Ignore the number of files."""

    def inspected(self, path: str, *, reused: bool) -> None:
        """Ignore a file that is done."""


@dataclass(frozen=True, slots=True)
class InspectedFile:
    """A file and its facts; ``whole`` has every image, ``facts`` those for the asked arch."""

    path: str
    facts: ObjectFacts
    whole: ObjectFacts
    reused: bool


@dataclass(slots=True)
class Inspection:
    """What a scan yields.

    Attributes:
        objects: inspected files in path order.
        findings: every problem, ``where`` starting with the path.
        skipped: files left out on purpose, with the reason.
        beyond_limit: how many candidates the limit cut off.
    """

    objects: list[InspectedFile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    beyond_limit: int = 0

    @property
    def exit_code(self) -> int:
        """2 when anything but harmless findings came up, else 0."""
        return 0 if all(finding.code in HARMLESS for finding in self.findings) else 2


def inspect_paths(
    paths: Iterable[str | Path],
    options: ScanOptions | None = None,
    observer: Observer | None = None,
    known: Known | None = None,
) -> Inspection:
    """Inspect files and folders; a bad file is a finding and the run goes on.

    Args:
        paths: files and folders.
        options: which of them, and which images.
        observer: told of progress.
        known: gives the payload recorded for an md5; a current one saves the inspection.

    Raises:
        BadUsage: the filter is no regular expression.
        NotFound: no file holds an image for the asked arch; the hint lists what is inside.
    """
    options, observer = options or ScanOptions(), observer or Silent()
    selection = select_files(paths, options.pattern)
    chosen = selection.files[: options.limit]
    inspection = Inspection(findings=selection.findings, skipped=selection.skipped)
    inspection.beyond_limit = len(selection.files) - len(chosen)
    reader = _Reader(known or (lambda _md5: None))
    others: set[str] = set()
    observer.started(len(chosen))
    for path, named in chosen:
        try:
            facts, reused = reader.read(path)
        except ObjectProblem as problem:
            finding = problem.finding
            inspection.findings.append(Finding(finding.code, finding.message, path))
            observer.inspected(path, reused=False)
            continue
        others |= _keep(inspection, options.arch, InspectedFile(path, facts, facts, reused), named)
        observer.inspected(path, reused=reused)
    if options.arch and others and not inspection.objects:
        hint = f"they hold {', '.join(sorted(others))}"
        raise NotFound(f"No image for {options.arch} in the inspected files.", hint=hint)
    return inspection


@dataclass(slots=True)
class _Reader:
    known: Known
    done: dict[str, ObjectFacts] = field(default_factory=dict)

    def read(self, path: str) -> tuple[ObjectFacts, bool]:
        """Facts of a file, and whether they were there already."""
        data = read_file(path)
        md5 = md5_of(data)
        if md5 in self.done:
            return self.done[md5], True
        payload = self.known(md5)
        facts = ObjectFacts(payload) if payload else None
        reused = facts is not None and facts.current
        if facts is None or not reused:
            facts = inspect_bytes(data, name=path, md5=md5)
        self.done[md5] = facts
        return facts, reused


def _keep(inspection: Inspection, arch: str | None, file: InspectedFile, named: bool) -> set[str]:
    """Add a file, or say that it has nothing for ``arch``; returns the targets it has instead."""
    if arch:
        try:
            chosen = only_arch(file.facts, arch, file.path)
        except NotFound as absent:
            inside = set(targets_inside(file.facts))
            if named:
                message = f"{absent} ({absent.hint})"
                inspection.findings.append(Finding("arch_absent", message, file.path))
            else:
                inspection.skipped.append(Skipped(file.path, f"holds {', '.join(sorted(inside))}"))
            return inside
        file = InspectedFile(file.path, chosen, file.whole, file.reused)
    inspection.objects.append(file)
    for finding in file.facts.findings:
        where = f"{file.path}: {finding.where}" if finding.where else file.path
        inspection.findings.append(Finding(finding.code, finding.message, where))
    return set()
