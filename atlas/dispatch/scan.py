"""Scans a source tree for places that mention kernels: every file is read once, for all kernels."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from atlas.dispatch.env_controls import env_controls
from atlas.dispatch.finding_log import FindingLog
from atlas.dispatch.index import NameIndex
from atlas.dispatch.listing import list_tree
from atlas.dispatch.manifest import (
    DispatchEntry,
    DispatchManifest,
    FoundReference,
    FoundSource,
)
from atlas.dispatch.names import KernelName, Text
from atlas.dispatch.paths import (
    KERNEL_FOLDER,
    REFERENCE_FOLDERS,
    Layout,
    TreePath,
    is_folder,
    shown,
)
from atlas.dispatch.reading import read_text
from atlas.dispatch.references import Line, ReferenceFile, score_line
from atlas.dispatch.score import Best, Reason, total
from atlas.dispatch.sources import SourceFile, Target, score_source
from atlas.errors import BadUsage, NotFound

if TYPE_CHECKING:
    from pathlib import Path

Observer = Callable[[int, int], None]

DEFAULT_REF_LIMIT = 8
MAX_LINES_PER_FILE = 5_000


class _Source(NamedTuple):
    path: TreePath
    md5: str
    reasons: tuple[Reason, ...]


class _Reference(NamedTuple):
    """What is kept of a line; not the line itself, which may have megabytes."""

    path: TreePath
    number: int
    text: str
    kind: str
    controls: tuple[str, ...]
    reasons: tuple[Reason, ...]

    @classmethod
    def of(cls, path: TreePath, line: Line, reasons: tuple[Reason, ...]) -> _Reference:
        return cls(path, line.number, line.shown, line.kind, line.controls, reasons)


class _ReadFile:
    """A file that was read, with what all kernels share."""

    def __init__(self, path: TreePath, data: bytes) -> None:
        self.path = path
        self.text = Text(data)

    @cached_property
    def md5(self) -> str:
        return hashlib.md5(self.text.data, usedforsecurity=False).hexdigest()


class _Scan:
    """The state of one pass over the tree."""

    def __init__(self, kernels: Sequence[KernelName], target: Target, limit: int) -> None:
        self._index = NameIndex(kernels)
        self._target = target
        self._sources = {kernel: Best[_Source](limit) for kernel in kernels}
        self._references = {kernel: Best[_Reference](limit) for kernel in kernels}
        self.log = FindingLog()

    def take(self, file: _ReadFile, layout: Layout) -> None:
        """Looks at a file in each part it can play."""
        in_text = self._index.mentioned(file.text)
        if layout.is_source(file.path):
            self._take_source(file, in_text)
        if in_text and layout.is_reference(file.path):
            self._take_references(file, in_text)

    def _take_source(self, file: _ReadFile, in_text: list[KernelName]) -> None:
        source = SourceFile(file.path, Text(file.path.stem), file.text)
        for kernel in dict.fromkeys((*in_text, *self._index.mentioned(source.stem))):
            reasons = score_source(kernel, source, self._target)
            score = total(reasons)
            if score > 0:
                found = _Source(file.path, file.md5, reasons)
                self._sources[kernel].offer(score, file.path.raw, 0, found)

    def _take_references(self, file: _ReadFile, kernels: list[KernelName]) -> None:
        lines = ReferenceFile(file.path, file.text.data)
        for kernel in kernels:
            best = self._references[kernel]
            for count, line in enumerate(lines.lines_with(kernel)):
                if count == MAX_LINES_PER_FILE:
                    message = f"Only its first {count} lines with {kernel.shown} were looked at."
                    self.log.add("line_limit", message, file.path.shown)
                    break
                reasons = score_line(kernel, line)
                found = _Reference.of(file.path, line, reasons)
                best.offer(total(reasons), file.path.raw, line.number, found)

    def entries(self) -> tuple[DispatchEntry, ...]:
        """What was found for each kernel."""
        cut = sum(best.cut for best in self._sources.values())
        cut += sum(best.cut for best in self._references.values())
        if cut:
            self.log.add(
                "ref_limit", f"Of each kernel only the best are listed; {cut} more matched."
            )
        return tuple(self._entry(kernel) for kernel in self._index.kernels)

    def _entry(self, kernel: KernelName) -> DispatchEntry:
        references = self._references[kernel].items()
        named = [name for found in references for name in found.controls]
        return DispatchEntry(
            name=kernel.shown,
            name_variants=tuple(shown(spelling.raw) for spelling in kernel.spellings),
            source_files=tuple(_shown_source(found) for found in self._sources[kernel].items()),
            dispatch_refs=tuple(_shown_reference(found) for found in references),
            env_controls=env_controls(kernel.name, named),
        )


def scan_tree(
    root: Path,
    kernels: Sequence[KernelName],
    *,
    arch: str | None,
    ref_limit: int = DEFAULT_REF_LIMIT,
    observer: Observer | None = None,
) -> DispatchManifest:
    """Finds the files and lines of a source tree that mention kernels.

    What is found are places to look: it proves no branch. The result depends only on the tree and
    the arguments; a name given twice has one entry, an empty one none.

    Args:
        root: the tree, usually a checkout of the engine.
        kernels: the kernels, in the order the entries shall have.
        arch: architecture whose files rank first, such as ``gfx1201``; None for no preference.
        ref_limit: how many source files and how many references are kept for each kernel.
        observer: called after each file with the files done and the files in all.

    Raises:
        NotFound: there is no folder at the root.
        BadUsage: the limit is negative.
    """
    if ref_limit < 0:
        raise BadUsage(f"The limit of references is {ref_limit}.", hint="Use 0 or more.")
    if not is_folder(root):
        raise NotFound(f"There is no folder at {root}.", hint="Name a source tree with --root.")
    root = root.resolve()
    root_shown = shown(os.fsencode(root))
    named = [kernel for kernel in dict.fromkeys(kernels) if kernel.name]
    scan = _Scan(named, Target(arch), ref_limit)
    if len(named) < len(set(kernels)):
        scan.log.add("empty_name", "A kernel without a name was left out.")
    layout = _layout(root, scan.log)
    paths = list_tree(root, layout, scan.log)
    if not paths:
        scan.log.add("no_files", "It has no source files, or git ignores them all.", root_shown)
    for done, raw in enumerate(paths, 1):
        path = TreePath(raw)
        data = read_text(root, path, scan.log)
        if data is not None:
            scan.take(_ReadFile(path, data), layout)
        if observer:
            observer(done, len(paths))
    return DispatchManifest(root_shown, arch, scan.entries(), scan.log.findings())


def _layout(root: Path, log: FindingLog) -> Layout:
    """Which of the known folders the tree has; what follows from a missing one is said."""
    has_kernel_folder = is_folder(root / os.fsdecode(KERNEL_FOLDER))
    if not has_kernel_folder:
        log.add(
            "no_kernel_folder", "Without kernels/src/, the whole tree was searched for sources."
        )
    if not any(is_folder(root / os.fsdecode(folder)) for folder in REFERENCE_FOLDERS):
        log.add(
            "no_reference_folder", "Without crates/, cli/ or kernels/src/, no lines were searched."
        )
    return Layout(has_kernel_folder)


def _shown_source(found: _Source) -> FoundSource:
    reasons = [str(reason) for reason in found.reasons]
    return FoundSource(found.path.shown, found.md5, total(found.reasons), reasons)


def _shown_reference(found: _Reference) -> FoundReference:
    return FoundReference(
        path=found.path.shown,
        line=found.number,
        text=found.text,
        kind=found.kind,
        match_score=total(found.reasons),
        match_reason=[str(reason) for reason in found.reasons],
    )
