"""Text of the AR bench (``bench_qwen35_mq4``): a ``prefill`` and a ``decode_ar`` observation.

``PREFILL_SUMMARY`` stands before the generation phase, so a run that crashes there still has a
prefill measurement.
Samples: ``prefill_ms`` and ``prefill_tok_s`` of every prefill run, in order.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atlas.outputs.cold import cold_overhead, slow_first
from atlas.outputs.coverage import coverage
from atlas.outputs.key_values import pairs
from atlas.outputs.numbers import NUMBER, Number, finite, read
from atlas.outputs.part import Part
from atlas.outputs.profile import profile_tables
from atlas.outputs.reading import Observation, OutputError
from atlas.outputs.relevance import is_jit
from atlas.outputs.summary import REQUIRED, Summary, last_summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atlas.outputs.segments import Line
    from ledger.finding import Finding

_RUN = re.compile(rf"\s*run\s+\d+:\s*({NUMBER})\s?ms\s+({NUMBER})\s?tok/s")
_MEDIAN = re.compile(rf"\s*median:\s*({NUMBER})\s?ms\s+({NUMBER})\s?tok/s")
_TIMED_STARTS = re.compile(r".*=== prefill \(")
_LATENCY_KEYS = frozenset({"min", "p50", "avg", "p90", "p99", "max"})
_PREFILL_EXTRAS = frozenset({"startup_overhead_ms", "cold_overhead_pct"})


def is_ar_bench(lines: Sequence[Line]) -> bool:
    """Whether headerless lines are text of this bench."""
    return any(
        _RUN.match(line.text)
        or ("SUMMARY" in line.text and last_summary([line], [], prefill=prefill))
        for line in lines
        for prefill in (False, True)
    )


def read_ar_bench(lines: Sequence[Line], facts: dict[str, Any], first_line: int) -> Part:
    """Observations and errors of one bench run.

    Args:
        lines: the segment's lines.
        facts: its identity hints (``prefill_tokens`` and ``gen_tokens`` shape the buckets).
        first_line: where the segment starts, for errors.
    """
    part = Part("ar")
    early = last_summary(lines, part.findings, prefill=True)
    final = last_summary(lines, part.findings)
    prefill = _prefill(lines, facts, early, final, part.findings)
    if prefill:
        part.observations.append(prefill)
    problem = _problem(final, facts, first_line)
    if problem:
        part.errors.append(problem)
    elif final:
        part.observations.append(_decode(lines, facts, final, part.findings))
    _tag_cold(lines, part.observations)
    _attach_profiles(lines, part)
    return part


def _is_prefill_key(key: str) -> bool:
    return key.startswith("prefill_") or key in _PREFILL_EXTRAS


def _prefill(
    lines: Sequence[Line],
    facts: dict[str, Any],
    early: Summary | None,
    final: Summary | None,
    findings: list[Finding],
) -> Observation | None:
    samples, medians = _runs(lines, findings)
    metrics: dict[str, Number] = {}
    tokens = facts.get("prefill_tokens")
    if tokens is not None:
        metrics["prefill_tokens"] = tokens
    for summary in (final, early):
        if summary:
            metrics |= {
                key: value
                for key, value in summary.metrics.items()
                if _is_prefill_key(key) or summary is early
            }
    if not metrics.keys() - {"prefill_tokens"} and not samples["prefill_ms"]:
        return None
    observation = Observation("prefill", shape_bucket=f"pp{tokens}" if tokens is not None else None)
    observation.metrics = metrics | medians
    observation.samples = {name: values for name, values in samples.items() if values}
    if "prefill_tok_s" not in metrics:
        observation.tag("partial")
    if slow_first(samples["prefill_ms"]) or cold_overhead(metrics):
        observation.tag("cold")
    return observation


def _runs(
    lines: Sequence[Line], findings: list[Finding]
) -> tuple[dict[str, list[float]], dict[str, Number]]:
    """Every prefill run's time and rate, and the printed medians."""
    samples: dict[str, list[float]] = {"prefill_ms": [], "prefill_tok_s": []}
    medians: dict[str, Number] = {}
    for line in lines:
        match = _RUN.match(line.text) or _MEDIAN.match(line.text)
        if match is None:
            continue
        time = read(match[1], "prefill ms", line.no, findings)
        rate = read(match[2], "prefill tok/s", line.no, findings)
        if "median" in line.text:
            printed = {"median_ms": time, "median_tok_s": rate}
            medians = {name: value for name, value in printed.items() if value is not None}
        elif (ms := finite(time)) is not None and (tok_s := finite(rate)) is not None:
            samples["prefill_ms"].append(ms)
            samples["prefill_tok_s"].append(tok_s)
    return samples, medians


def _problem(final: Summary | None, facts: dict[str, Any], first_line: int) -> OutputError | None:
    """Why there is no decode measurement, or None."""
    if final is None:
        return OutputError("missing_summary", "the output holds no SUMMARY line", "ar", first_line)
    if facts.get("gen_tokens") == 0 or final.metrics.get("gen_tok_s") == 0:
        return OutputError("zero_tokens", "no token was generated", "ar", final.line)
    missing = [key for key in REQUIRED if key not in final.metrics]
    if missing:
        return OutputError("missing_keys", f"SUMMARY lacks {', '.join(missing)}", "ar", final.line)
    return None


def _decode(
    lines: Sequence[Line], facts: dict[str, Any], final: Summary, findings: list[Finding]
) -> Observation:
    prefill, gen = facts.get("prefill_tokens"), facts.get("gen_tokens")
    metrics = {key: value for key, value in final.metrics.items() if not _is_prefill_key(key)}
    if gen is not None:
        metrics["gen_tokens"] = gen
    shape = None if prefill is None or gen is None else f"decode_ar_pp{prefill}_gen{gen}"
    return Observation("decode_ar", shape_bucket=shape, metrics=_latency(lines, findings) | metrics)


def _latency(lines: Sequence[Line], findings: list[Finding]) -> dict[str, Number]:
    """The per-token latency distribution, ``min_ms`` to ``max_ms``; the last one printed."""
    metrics: dict[str, Number] = {}
    for line in lines:
        printed = [pair for pair in pairs(line.text) if pair.key in _LATENCY_KEYS]
        if len(printed) < 3 or "SUMMARY" in line.text:
            continue
        for key, text in printed:
            value = read(text, f"{key} ms", line.no, findings)
            if value is not None:
                metrics[f"{key}_ms"] = value
    return metrics


def _tag_cold(lines: Sequence[Line], observations: list[Observation]) -> None:
    """Tag the phase during whose timed part a kernel was compiled."""
    phase: str | None = None
    cold = set()
    for line in lines:
        if _TIMED_STARTS.match(line.text):
            phase = "prefill"
        elif "PREFILL_SUMMARY" in line.text:
            phase = "decode_ar"
        elif "SUMMARY" in line.text:
            phase = None
        elif phase and is_jit(line.text):
            cold.add(phase)
    for observation in observations:
        if observation.phase in cold:
            observation.tag("cold")


def _attach_profiles(lines: Sequence[Line], part: Part) -> None:
    """Hang kernel tables and coverage on their phases; profiling slows all phases."""
    tables, findings = profile_tables(lines)
    report, more = coverage(lines)
    part.findings += findings + more
    for table in tables:
        owner = next(
            (o for o in part.observations if o.phase == table.phase and not o.profile), None
        )
        if owner is None:
            owner = Observation(table.phase, tags=("partial",))
            part.observations.append(owner)
        owner.profile = table
    if report:
        owner = next((o for o in part.observations if o.phase == "prefill"), None)
        if owner is None:
            owner = Observation("prefill", tags=("partial",))
            part.observations.append(owner)
        owner.coverage = report
        owner.metrics |= report.metrics
        blind = finite(report.metrics.get("rocprof_blindspot_count"))
        if blind or report.kernels:
            owner.tag("BLINDSPOT")
    if tables or report:
        for observation in part.observations:
            observation.tag("profiled")
