"""From a reading and its context to entries: v0 rows, partial rows, error records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.identity.arch import ArchIdentity, resolve_arch
from atlas.identity.redaction import redact_json
from atlas.identity.route import route
from atlas.rows.context import RunContext, RunEnd
from atlas.rows.entry import SCHEMA, entry

if TYPE_CHECKING:
    from atlas.outputs.reading import Observation, Reading, Segment
    from ledger.finding import Finding

_TAIL_CHARACTERS = 2000
_ENDED_WELL = RunEnd()


@dataclass(frozen=True, slots=True)
class Assembled:
    """Entries of one output, and everything noteworthy about it."""

    entries: list[dict[str, Any]]
    findings: list[Finding]


def assemble(
    reading: Reading,
    context: RunContext,
    run_id: str,
    *,
    end: RunEnd = _ENDED_WELL,
    tail: str = "",
) -> Assembled:
    """Make the entries of one output.

    A live run is one process and has one ``run_id``; in a log each segment is a process of its own
    (the run id gets the segment's ordinal). A run that ended badly gives an error record, and its
    rows are partial; a row whose architecture is in conflict is quarantined.

    Args:
        reading: what the output says.
        context: what it doesn't say.
        run_id: UUID of the run, or the digest of the imported file.
        end: how the run ended.
        tail: end of the output, for error records.
    """
    live = bool(context.command)
    entries: list[dict[str, Any]] = []
    findings = list(reading.findings)
    shared = _facts_before(reading) if live else {}
    for segment in reading.segments:
        findings += segment.findings
        maker = _Maker(segment, {**shared, **segment.facts}, context, end)
        process = run_id if live else f"{run_id}:{segment.ordinal}"
        entries += [maker.observed(one, process) for one in segment.observations]
        entries += [
            maker.failed(one.phase, one.reason, one.message, process, "")
            for one in segment.errors
            if end.reason is None
        ]
    if end.reason is not None:
        nothing = _Maker(None, shared, context, end)
        kind = context.workload_kind or "ar"
        entries.append(nothing.failed(kind, end.reason, end.message, run_id, tail))
    return Assembled(entries, findings)


def _facts_before(reading: Reading) -> dict[str, Any]:
    """Facts of a live run that stand in text without observations, such as the other stream."""
    known: dict[str, Any] = {}
    for segment in reading.segments:
        if not segment.observations:
            known |= segment.facts
    return known


class _Maker:
    """Makes the rows of one segment: what they share is found once."""

    def __init__(
        self, segment: Segment | None, facts: dict[str, Any], context: RunContext, end: RunEnd
    ) -> None:
        self.facts = facts
        self.context = context
        self.end = end
        self.kind = context.workload_kind or (segment.workload_kind if segment else None)
        self.program = segment.program if segment else None
        self.arch = _arch(facts, context)
        self.kv_mode = facts.get("kv_mode") or context.request.get("kv_mode")

    def observed(self, seen: Observation, run_id: str) -> dict[str, Any]:
        """The entry of an observation."""
        row = self._common(seen.phase) | {
            "shape_bucket": seen.shape_bucket or self._shape(seen.phase),
            "model_size": self.context.model_size,
            "quant": self.context.quant or self.facts.get("quant"),
            "status": "ok",
            "metrics": dict(seen.metrics),
            "artifacts": self._artifacts() | _measured(seen),
            "tags": list(seen.tags),
        }
        if seen.run_index is not None:
            row["run_index"] = seen.run_index
        if seen.coverage:
            row["metrics"] = {**row["metrics"], **seen.coverage.metrics}
        status, why = self._status(seen)
        return entry(_known(row), run_id, status=status, why=why)

    def failed(
        self, phase: str, reason: str, message: str, run_id: str, tail: str
    ) -> dict[str, Any]:
        """The entry of an error record: no shape, no quantisation, no metrics."""
        row = self._common(phase) | {
            "status": "error",
            "reason": reason,
            "message": message,
            "artifacts": {},
            "tags": [],
            "stderr_tail": tail[-_TAIL_CHARACTERS:] or None,
        }
        return entry(_known(row), run_id, status="error", why=[reason])

    def _common(self, phase: str) -> dict[str, Any]:
        context = self.context
        path = context.model.get("path") or self.facts.get("model_path")
        size = context.model.get("bytes") or self.facts.get("model_bytes")
        return {
            "schema": SCHEMA,
            "captured_at_utc": context.captured_at_utc,
            "arch": self.arch.arch,
            "hostname": context.hostname,
            "git_sha": context.git.get("sha", "unknown"),
            "phase": phase,
            "workload": context.workload or self.program,
            "workload_kind": self.kind,
            "model": _known({"path": path, "md5": context.model.get("md5"), "bytes": size}),
            "provenance": self._provenance(),
            "command": context.command,
            "variant": {"env": context.env},
            "run_index": context.run_index,
        }

    def _provenance(self) -> dict[str, Any]:
        git, binary = self.context.git, self.context.binary
        return _known(
            {
                "binary_path": binary.get("path"),
                "binary_md5": binary.get("md5"),
                "build_id": binary.get("build_id"),
                "binary_mtime_us": binary.get("mtime_us"),
                "git_state": git.get("state"),
                "git_dirty": git.get("dirty"),
                "committed_us": git.get("committed_us"),
                "branch": git.get("branch"),
                "diff_md5": git.get("diff_md5"),
                "tree_md5": git.get("tree_md5"),
                "code_objects_sha256": self.context.code_objects.get("digest"),
                "device_index": self.facts.get("device_index"),
                "visible_devices": self._visible(),
                "hip_version": self.facts.get("hip_version"),
                "rocm_version": self.context.host.get("rocm_version"),
                "arch_source": self.arch.source,
            }
        )

    def _visible(self) -> str | None:
        from atlas.identity.environment import VISIBILITY_VARIABLES

        chosen = {n: v for n, v in self.context.env.items() if n in VISIBILITY_VARIABLES}
        if chosen:
            return " ".join(f"{name}={chosen[name]}" for name in sorted(chosen))
        printed = self.facts.get("visible_devices")
        return str(printed) if printed is not None else None

    def _artifacts(self) -> dict[str, Any]:
        context = self.context
        blobs = self.facts.get("graph_blob_count")
        made = {
            "printed": redact_json(self.facts)[0],
            "kv_mode": self.kv_mode,
            "runtime_route": route(self.kv_mode, context.env, blobs) if self.kv_mode else None,
            "isa": context.isa,
            "dispatch": context.dispatch,
        }
        if self.kind == "dflash":
            made |= {
                "target": context.model.get("path") or self.facts.get("model_path"),
                "target_md5": context.model.get("md5"),
                "draft": context.draft.get("path") or self.facts.get("draft_path"),
                "draft_md5": context.draft.get("md5"),
                "prompt_file": context.prompt.get("file"),
                "prompt_md5": context.prompt.get("md5") or self.facts.get("prompt_md5"),
            }
        return _known(made)

    def _shape(self, phase: str) -> str | None:
        asked = self.context.request
        if phase == "prefill" and "prefill" in asked:
            return f"pp{asked['prefill']}"
        if phase == "decode_ar" and "prefill" in asked:
            return f"decode_ar_pp{asked['prefill']}_gen{asked['gen']}"
        if "max" in asked:
            return f"dflash_max{asked['max']}_ctx{asked['ctx']}"
        return None

    def _status(self, seen: Observation) -> tuple[str, list[str]]:
        if self.arch.conflicts:
            told = ", ".join(f"{source} {arch}" for source, arch in self.arch.conflicts.items())
            return "quarantined", [f"architecture in conflict: {told}"]
        if self.end.reason is not None:
            return "partial", [self.end.message]
        if "partial" in seen.tags:
            return "partial", ["the output ends before its summary"]
        return "ok", []


def _arch(facts: dict[str, Any], context: RunContext) -> ArchIdentity:
    printed = facts.get("archs") or [arch for arch in [facts.get("arch")] if arch]
    found = resolve_arch(printed, context.arch_option, context.env, lambda _tool: None)
    if found.arch is None and not printed and context.arch_found.get("arch"):
        return ArchIdentity(context.arch_found["arch"], context.arch_found.get("source"))
    return found


def _measured(seen: Observation) -> dict[str, Any]:
    made: dict[str, Any] = {"samples": seen.samples, "histogram": seen.histogram}
    if seen.profile:
        made["profile"] = {k: v for k, v in seen.profile.as_json().items() if k != "kernels"}
        made["profile_kernels"] = [kernel.as_json() for kernel in seen.profile.kernels]
    if seen.coverage:
        made["blindspot_kernels"] = [kernel.as_json() for kernel in seen.coverage.kernels]
    return _known(made)


def _known(values: dict[str, Any]) -> dict[str, Any]:
    """Without unknowns; empty objects and lists of the v0 form stay."""
    kept = ("command", "tags", "metrics", "artifacts", "variant", "model", "provenance")
    return {
        name: value
        for name, value in values.items()
        if value is not None and (name in kept or value not in ({}, []))
    }
