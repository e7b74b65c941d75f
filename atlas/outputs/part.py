"""What one format contributes to a segment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atlas.outputs.reading import Observation, OutputError, WorkloadKind
    from ledger.finding import Finding


@dataclass(slots=True)
class Part:
    """Observations, errors, findings and extra facts of one format; empty otherwise."""

    workload_kind: WorkloadKind | None = None
    observations: list[Observation] = field(default_factory=list)
    errors: list[OutputError] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
