"""Manifests of a run: what its kernels are made of and where the source tree mentions them."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atlas.errors import AtlasError
from ledger.errors import LedgerError
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from atlas.manifests.isa import Inspected
    from atlas.outputs.reading import Reading
    from atlas.rows.context import RunContext
    from ledger.observer import Observer
    from ledger.store import Ledger
    from queries.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options of a collector ask for.

    Attributes:
        isa_paths: folders and files of code objects.
        isa_pattern: expression searched in paths of files in folders.
        isa_limit: at most so many files.
        isa_output: file the ISA manifest is written to as well.
        dispatch: search a source tree for the profiled kernels.
        dispatch_root: that tree.
        dispatch_ref_limit: files and lines kept for each kernel.
        dispatch_output: file the dispatch manifest is written to as well.
    """

    isa_paths: tuple[Path, ...] = ()
    isa_pattern: str | None = None
    isa_limit: int | None = None
    isa_output: Path | None = None
    dispatch: bool = False
    dispatch_root: Path = Path()
    dispatch_ref_limit: int = 8
    dispatch_output: Path | None = None


@dataclass(frozen=True, slots=True)
class RunManifests:
    """The context that names the manifests of a run, and what was noteworthy."""

    context: RunContext
    findings: list[Finding] = field(default_factory=list)


class Manifests:
    """Makes and records manifests after each run; what did not change is not recorded again.

    Args:
        wanted: what to make.
        ledger: where it is recorded.
        catalog: the ledger's queries.
        observer: told of progress.
    """

    def __init__(
        self, wanted: Wanted, ledger: Ledger, catalog: Catalog, observer: Observer
    ) -> None:
        self._wanted = wanted
        self._ledger = ledger
        self._catalog = catalog
        self._observer = observer
        self._known: dict[str, dict[str, Any]] | None = None
        self._isa: tuple[object, dict[str, Any]] = (None, {})
        self._dispatch: tuple[object, dict[str, Any]] = (None, {})

    def after_run(self, context: RunContext, reading: Reading, session_id: str) -> RunManifests:
        """Make the manifests of a run that is over."""
        isa: dict[str, Any] = {}
        dispatch: dict[str, Any] = {}
        findings: list[Finding] = []
        if self._wanted.isa_paths:
            isa, findings = self._attempt("isa", lambda: self._inspect(context, session_id))
        if self._wanted.dispatch:
            names = profiled_kernels(reading)
            arch = context.arch_found.get("arch") or printed(reading)
            dispatch, more = self._attempt(
                "dispatch", lambda: self._search(context, session_id, names, arch)
            )
            findings = [*findings, *more]
        return RunManifests(dataclasses.replace(context, isa=isa, dispatch=dispatch), findings)

    def _attempt(
        self, slot: str, make: Callable[[], tuple[dict[str, Any], list[Finding]]]
    ) -> tuple[dict[str, Any], list[Finding]]:
        """Make a manifest; whatever goes wrong is a finding, for the run itself is over."""
        try:
            told, findings = make()
        except (AtlasError, LedgerError, OSError) as error:
            told, findings = {}, [Finding(f"{slot}_not_made", str(error), slot)]
        for finding in findings:
            self._observer.remark(f"{slot}: {finding.where}: {finding.message}")
        return told, findings

    def _inspect(
        self, context: RunContext, session_id: str
    ) -> tuple[dict[str, Any], list[Finding]]:
        from atlas.isa.scan import ScanOptions
        from atlas.manifests.isa import inspect, manifest_text
        from atlas.manifests.recording import record_inspected

        options = ScanOptions(None, self._wanted.isa_pattern, self._wanted.isa_limit)
        if self._known is None:
            self._known = self._recorded(options)
        found = inspect(self._wanted.isa_paths, options, self._known, self._observer)
        if not found.inspection.objects:
            nothing = Finding("isa_nothing", "no code object was found", "isa")
            return {}, [*found.inspection.findings, nothing]
        same = tuple((file.path, file.facts.md5) for file in found.inspection.objects)
        if self._isa[0] == same:
            return self._isa[1], []
        event = record_inspected(found, self._ledger, session_id=session_id, host=context.hostname)
        self._known |= {file.facts.md5: file.whole.payload for file in found.inspection.objects}
        told = {"manifest_event": event, **_counts(found)}
        told |= _written(self._wanted.isa_output, manifest_text(found.manifest))
        self._isa = (same, told)
        return told, found.inspection.findings

    def _recorded(self, options: Any) -> dict[str, dict[str, Any]]:
        from atlas.manifests.isa import known_payloads

        try:
            return known_payloads(self._wanted.isa_paths, options, self._ledger, self._catalog)
        except LedgerError:
            return {}  # someone else holds the ledger: everything is inspected anew

    def _search(
        self, context: RunContext, session_id: str, names: list[str], arch: str | None
    ) -> tuple[dict[str, Any], list[Finding]]:
        from atlas.manifests.dispatch import dispatch_draft, ops_of, scan
        from atlas.manifests.isa import manifest_text
        from ledger.passing import passing

        if not names:
            said = "no profiled kernel to search for: collect with a profile"
            return {}, [Finding("dispatch_nothing", said, "dispatch")]
        if self._dispatch[0] == (names, arch):
            return self._dispatch[1], []
        with passing(self._catalog, []) as reader:
            ops = ops_of(reader, self._catalog, names)
        limit = self._wanted.dispatch_ref_limit
        root = self._wanted.dispatch_root
        manifest = scan(root, names, arch=arch, ref_limit=limit, ops=ops, observer=self._observer)
        draft = dispatch_draft(manifest, session_id, context.hostname)
        event = self._ledger.record([draft]).event_ids[0]
        told = {"manifest_event": event, "entry_count": manifest["entry_count"]}
        told |= _written(self._wanted.dispatch_output, manifest_text(manifest))
        self._dispatch = ((names, arch), told)
        return told, [Finding(**one) for one in manifest["findings"]]


def profiled_kernels(reading: Reading) -> list[str]:
    """Names in the profiles of an output, each once, in the order printed."""
    return list(
        dict.fromkeys(
            kernel.name
            for segment in reading.segments
            for seen in segment.observations
            if seen.profile
            for kernel in seen.profile.kernels
        )
    )


def printed(reading: Reading) -> str | None:
    """The first architecture an output names."""
    facts = [segment.facts.get("arch") for segment in reading.segments]
    return next((str(arch) for arch in facts if arch), None)


def _counts(found: Inspected) -> dict[str, int]:
    names = ("object_count", "kernel_count", "instruction_count")
    return {name: found.manifest[name] for name in names}


def _written(path: Path | None, text: bytes) -> dict[str, str]:
    """Write the file that was asked for; how a row names it."""
    if path is None:
        return {}
    path.write_bytes(text)
    md5 = hashlib.md5(text, usedforsecurity=False).hexdigest()
    return {"manifest_path": str(path), "manifest_md5": md5}
