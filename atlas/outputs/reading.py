"""What was read from a program's output: plain records that serialise to JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from atlas.outputs.numbers import Number
    from ledger.finding import Finding

Phase: TypeAlias = Literal["prefill", "decode_ar", "decode_dflash"]
WorkloadKind: TypeAlias = Literal["ar", "dflash"]


def _printed(**fields: Any) -> dict[str, Any]:
    """The fields that are known: None, empty lists and empty objects are left out."""
    return {name: value for name, value in fields.items() if value not in (None, [], {})}


@dataclass(slots=True)
class ProfileKernel:
    """One row of a kernel table. Times as in the field names; ``pct`` 0-100; None: not printed."""

    name: str
    calls: Number
    total_ms: Number
    avg_us: Number | None = None
    pct: Number | None = None
    gib_s: Number | None = None
    mb: Number | None = None

    def as_json(self) -> dict[str, Any]:
        """The row as in ``artifacts.profile_kernels``."""
        return _printed(
            name=self.name,
            calls=self.calls,
            total_ms=self.total_ms,
            avg_us=self.avg_us,
            pct=self.pct,
            gib_s=self.gib_s,
            mb=self.mb,
        )


@dataclass(slots=True)
class ProfileTable:
    """A kernel table and the totals printed with it.

    Attributes:
        phase: the phase its launches belong to.
        line: line number of its first line.
        launches: kernel calls the header counts, all cycles together.
        wall_ms: wall time of the profiled part.
        total_ms: sum over all kernels as printed (serialised), also of those not listed.
        cycles: speculative cycles the calls spread over.
        wall_tok_s: tokens per second printed beside the wall time.
    """

    phase: Phase
    line: int
    launches: Number | None = None
    wall_ms: Number | None = None
    total_ms: Number | None = None
    cycles: Number | None = None
    wall_tok_s: Number | None = None
    kernels: list[ProfileKernel] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The table with the totals that were printed."""
        return _printed(
            phase=self.phase,
            launches=self.launches,
            wall_ms=self.wall_ms,
            total_ms=self.total_ms,
            cycles=self.cycles,
            wall_tok_s=self.wall_tok_s,
        ) | {"kernels": [kernel.as_json() for kernel in self.kernels]}


@dataclass(slots=True)
class Coverage:
    """How much of the GPU time a profiler saw was attributed. ``kernels``: the blind spots."""

    metrics: dict[str, Number] = field(default_factory=dict)
    kernels: list[ProfileKernel] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Printed totals under their v0 names, and the blind-spot kernels."""
        return {"metrics": self.metrics, "kernels": [kernel.as_json() for kernel in self.kernels]}


@dataclass(slots=True)
class Observation:
    """One phase-tagged measurement.

    Attributes:
        shape_bucket: ``pp…``, ``decode_ar_pp…_gen…`` or ``dflash_max…_ctx…``; None: unknown.
        run_index: 1-based position among the runs of one process; None for a single one.
        metrics: v0 names where they exist, else as printed; ``nan``/``inf`` as the text printed.
        tags: ``cold``, ``profiled``, ``BLINDSPOT``, ``ar_baseline``, ``mtp``, ``aggregate`` (a mean
            over runs), ``partial`` (its summary line is missing).
        samples: per-run values behind a metric, parallel lists.
        histogram: ``[accepted, count]`` pairs of speculative cycles.
    """

    phase: Phase
    shape_bucket: str | None = None
    run_index: int | None = None
    metrics: dict[str, Number] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    samples: dict[str, list[float]] = field(default_factory=dict)
    histogram: list[list[int]] = field(default_factory=list)
    profile: ProfileTable | None = None
    coverage: Coverage | None = None

    def tag(self, *names: str) -> None:
        """Add tags that are not there yet."""
        self.tags += tuple(name for name in names if name not in self.tags)

    def as_json(self) -> dict[str, Any]:
        """The observation; metrics always, everything else when known."""
        return {"phase": self.phase, "metrics": self.metrics} | _printed(
            shape_bucket=self.shape_bucket,
            run_index=self.run_index,
            tags=list(self.tags),
            samples=self.samples,
            histogram=self.histogram,
            profile=self.profile.as_json() if self.profile else None,
            coverage=self.coverage.as_json() if self.coverage else None,
        )


@dataclass(frozen=True, slots=True)
class OutputError:
    """Why a program's output holds no measurement of a phase.

    Attributes:
        reason: stable code: ``missing_summary``, ``missing_keys``, ``zero_tokens`` or
            ``no_measurement``.
        line: line number the reason was seen at.
    """

    reason: str
    message: str
    phase: WorkloadKind
    line: int

    def as_json(self) -> dict[str, Any]:
        """The error as it stands in payloads."""
        return {
            "reason": self.reason,
            "message": self.message,
            "phase": self.phase,
            "line": self.line,
        }


@dataclass(slots=True)
class Segment:
    """The output of one run of one program.

    Attributes:
        ordinal: 0-based position in the text.
        first_line: 1-based number of its first line.
        program: as its header names it; None for text without a header.
        facts: identity hints as printed; see `atlas.outputs.facts`.
    """

    ordinal: int
    first_line: int
    program: str | None = None
    workload_kind: WorkloadKind | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    observations: list[Observation] = field(default_factory=list)
    errors: list[OutputError] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The segment with everything known."""
        return {"ordinal": self.ordinal, "first_line": self.first_line} | _printed(
            program=self.program,
            workload_kind=self.workload_kind,
            facts=self.facts,
            observations=[observation.as_json() for observation in self.observations],
            errors=[error.as_json() for error in self.errors],
            findings=[finding.as_json() for finding in self.findings],
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything read from one output. ``findings``: those that concern the text as a whole."""

    segments: tuple[Segment, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def understood(self) -> bool:
        """Whether any of it is known output: a measurement, a failed one, or a known header.

        Identity hints alone don't count: many programs print the card they run on.
        """
        return any(s.observations or s.errors or s.program for s in self.segments)

    def as_json(self) -> dict[str, Any]:
        """Segments and findings."""
        return {
            "segments": [segment.as_json() for segment in self.segments],
            "findings": [finding.as_json() for finding in self.findings],
        }
