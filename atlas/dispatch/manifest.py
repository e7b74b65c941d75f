"""The dispatch manifest: what a scan found, and its JSON form."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledger.finding import Finding

SCHEMA = "hipfire.kernel_atlas.dispatch.v0"
NOTE = "These are places to look; they do not prove that any branch is taken."


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A file that may hold the kernel's source.

    Attributes:
        path: relative to the root, ``/`` between its parts.
        md5: of the file's bytes, hexadecimal.
        match_score: the sum of the points in ``match_reason``.
        match_reason: each reason with its points.
    """

    path: str
    md5: str
    match_score: int
    match_reason: list[str]


@dataclass(frozen=True, slots=True)
class FoundReference:
    """A line that mentions the kernel.

    Attributes:
        path: relative to the root, ``/`` between its parts.
        line: from 1.
        text: the line without surrounding blanks, at most 240 characters.
        kind: ``code`` or ``comment``.
        match_score: the sum of the points in ``match_reason``.
        match_reason: each reason with its points.
    """

    path: str
    line: int
    text: str
    kind: str
    match_score: int
    match_reason: list[str]


@dataclass(frozen=True, slots=True)
class DispatchEntry:
    """What was found for one kernel, best first.

    Attributes:
        name: as the caller gave it; what can't be encoded is escaped.
        name_variants: the name, then its shorter spellings.
        source_files: files that may hold its source.
        dispatch_refs: lines that mention it.
        env_controls: variables that may decide whether it is dispatched.
    """

    name: str
    name_variants: tuple[str, ...]
    source_files: tuple[FoundSource, ...]
    dispatch_refs: tuple[FoundReference, ...]
    env_controls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DispatchManifest:
    """The result of a scan, in the caller's order of kernels.

    Attributes:
        root: absolute path of the scanned tree.
        arch: the preferred architecture; None for none.
        entries: one per kernel.
        findings: what was skipped, could not be read, or was cut by a limit.
    """

    root: str
    arch: str | None
    entries: tuple[DispatchEntry, ...]
    findings: tuple[Finding, ...]

    def as_json(self, *, captured_at_utc: str, ops: Mapping[str, Any]) -> dict[str, Any]:
        """The manifest as a JSON object.

        Args:
            captured_at_utc: when the tree was scanned, ISO 8601.
            ops: the op of each kernel by its name; a kernel without one gets null.
        """
        return {
            "schema": SCHEMA,
            "captured_at_utc": captured_at_utc,
            "root": self.root,
            "arch": self.arch,
            "entry_count": len(self.entries),
            "entries": [self._entry(entry, ops.get(entry.name)) for entry in self.entries],
            "findings": [finding.as_json() for finding in self.findings],
            "note": NOTE,
        }

    def _entry(self, entry: DispatchEntry, op: Any) -> dict[str, Any]:
        return {
            "name": entry.name,
            "arch": self.arch,
            "op": op,
            "name_variants": list(entry.name_variants),
            "source_files": [asdict(found) for found in entry.source_files],
            "dispatch_refs": [asdict(found) for found in entry.dispatch_refs],
            "env_controls": list(entry.env_controls),
        }
