"""``=== ROCPROF COVERAGE (P%) ===``: how much GPU time the engine's own profile accounts for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atlas.outputs.numbers import NUMBER, finite, read
from atlas.outputs.profile_rows import kernel_row, looks_like_row
from atlas.outputs.reading import Coverage
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from atlas.outputs.segments import Line

_HEADER = re.compile(rf".*=== ROCPROF COVERAGE \(({NUMBER})\s?%\) ===")
_TOTAL = re.compile(
    rf"\s*(rocprof|internal|blindspot) total:\s+({NUMBER})\s?ms"
    rf"(?:\s+\(({NUMBER}) [^)]*kernels?[^)]*\))?"
)
_COUNT_NAMES = {
    "rocprof": "rocprof_kernels_seen",
    "internal": "rocprof_internal_kernels",
    "blindspot": "rocprof_blindspot_count",
}
_TRUSTED_PCT = 75.0


def coverage(lines: Iterable[Line]) -> tuple[Coverage | None, list[Finding]]:
    """The last coverage report of a segment, or None, and findings.

    Above 90 % coverage is high, from 75 % on it is worth a look, below that the attribution is not
    to be trusted, which is a finding.
    """
    report: Coverage | None = None
    findings: list[Finding] = []
    within = blindspots = False
    for line in lines:
        if header := _HEADER.match(line.text):
            report, within, blindspots = Coverage(), True, False
            value = read(header[1], "rocprof coverage", line.no, findings)
            if value is not None:
                report.metrics["rocprof_coverage_pct"] = value
        elif "===" in line.text or "SUMMARY" in line.text:
            within = False
        elif report is None or not within:
            continue
        elif total := _TOTAL.match(line.text):
            _total(total, line, report, findings)
        elif "BLINDSPOTS" in line.text:
            blindspots = True
        elif blindspots and looks_like_row(line.text) and (kernel := kernel_row(line, findings)):
            report.kernels.append(kernel)
    if report:
        findings += _distrust(report)
    return report, findings


def _total(match: re.Match[str], line: Line, report: Coverage, findings: list[Finding]) -> None:
    total = read(match[2], f"{match[1]} total", line.no, findings)
    if total is not None:
        report.metrics[f"rocprof_{match[1]}_total_ms"] = total
    count = read(match[3], f"{match[1]} kernels", line.no, findings) if match[3] else None
    if count is not None:
        report.metrics[_COUNT_NAMES[match[1]]] = count


def _distrust(report: Coverage) -> list[Finding]:
    percent = finite(report.metrics.get("rocprof_coverage_pct"))
    if percent is None or percent >= _TRUSTED_PCT:
        return []
    message = (
        f"only {percent:g} % of the GPU time is accounted for: the attribution is not to be trusted"
    )
    return [Finding("coverage_low", message)]
