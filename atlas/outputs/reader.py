"""The front door: bytes → `Reading`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from atlas.outputs.ar_bench import is_ar_bench, read_ar_bench
from atlas.outputs.chat import read_chat
from atlas.outputs.dflash import is_dflash, read_dflash
from atlas.outputs.facts import read_facts
from atlas.outputs.hipfire_bench import is_hipfire_bench, read_hipfire_bench
from atlas.outputs.part import Part
from atlas.outputs.profile import profile_tables
from atlas.outputs.reading import Observation, Reading, Segment
from atlas.outputs.segments import HIPFIRE_BENCH, RawSegment, segments
from atlas.outputs.text import LineReader
from ledger.finding import Finding

if TYPE_CHECKING:
    from typing import Any

Hint = Literal["bench", "dflash"]

_MOST_FINDINGS = 200  # of one run; a log of garbage must not become a report of garbage


def read_output(data: bytes, *, hint: Hint | None = None) -> Reading:
    """Everything the output of one or more program runs says.

    Args:
        data: the output as printed, whole; any encoding, any size.
        hint: the program that is known to have run, used for text without a program header: what is
            missing then becomes an error instead of an unrecognised text.

    Returns:
        The segments in order. Text that is no known output gives a reading that is not
        ``understood``. Never raises on any input.
    """
    reader = LineReader(data)
    found: list[Segment] = []
    last_line = 0
    for raw in segments(reader):
        found.append(_segment(raw, hint))
        last_line = raw.lines[-1].no if raw.lines else last_line
    found, loose = _worth_keeping(found)
    if hint and not found:
        found = [_segment(RawSegment(1, None, ()), hint)]
    for ordinal, segment in enumerate(found):
        segment.ordinal = ordinal
    findings = [*reader.findings, *loose]
    if reader.unterminated is not None and reader.unterminated == last_line:
        message = "the text ends inside a line: its last number may be cut"
        findings.append(Finding("unterminated_last_line", message, f"line {last_line}"))
    return Reading(tuple(found), tuple(findings))


def _worth_keeping(found: list[Segment]) -> tuple[list[Segment], list[Finding]]:
    """The segments without the loose text around them, and the findings of what was left out.

    Text without a header is kept when it holds a measurement, or when it is all there is.
    """
    kept = [segment for segment in found if segment.program or segment.observations]
    loose = [segment for segment in found if not (segment.program or segment.observations)]
    if not kept:
        kept, loose = loose[:1], loose[1:]
        kept = [segment for segment in kept if segment.facts or segment.errors or segment.findings]
    return kept, [finding for segment in loose for finding in segment.findings]


def _segment(raw: RawSegment, hint: Hint | None) -> Segment:
    facts, findings = read_facts(raw.lines)
    segment = Segment(0, raw.first_line, raw.program, facts=facts)
    segment.findings = [*raw.findings, *findings]
    for part in _parts(raw, facts, hint):
        segment.workload_kind = segment.workload_kind or part.workload_kind
        segment.facts = part.facts | segment.facts
        segment.observations += part.observations
        segment.errors += part.errors
        segment.findings += part.findings
    if (more := len(segment.findings) - _MOST_FINDINGS) > 0:
        message = f"{more} further findings of this run are not listed"
        segment.findings[_MOST_FINDINGS:] = [Finding("findings_cut", message)]
    return segment


def _parts(raw: RawSegment, facts: dict[str, Any], hint: Hint | None) -> list[Part]:
    """What each format that applies makes of a segment: the header decides, then the hint."""
    lines, first = raw.lines, raw.first_line
    if raw.program == HIPFIRE_BENCH:
        return [read_hipfire_bench(lines, first)]
    if raw.program and raw.program.startswith("bench_"):
        return [read_ar_bench(lines, facts, first)]
    if raw.program or hint == "dflash":
        return [read_dflash(lines, facts, first, raw.program)]
    recognised = _headerless(raw, facts)
    if hint == "bench" and not any(part.observations or part.errors for part in recognised):
        return [read_ar_bench(lines, facts, first)]
    if hint is None:
        for part in recognised:
            part.errors = [error for error in part.errors if error.reason != "missing_summary"]
    return recognised


def _headerless(raw: RawSegment, facts: dict[str, Any]) -> list[Part]:
    """The formats recognised in text without a header."""
    lines, first = raw.lines, raw.first_line
    parts = []
    if is_ar_bench(lines):
        parts.append(read_ar_bench(lines, facts, first))
    if is_dflash(lines):
        parts.append(read_dflash(lines, facts, first, None))
    if not parts:
        parts.append(_tables_only(raw))
    if is_hipfire_bench(lines):
        parts.append(read_hipfire_bench(lines, first))
    return [*parts, read_chat(lines)]


def _tables_only(raw: RawSegment) -> Part:
    """Kernel tables of a report: a profiled observation each, with the rate beside its wall."""
    tables, findings = profile_tables(raw.lines)
    if not tables:
        return Part()
    part = Part("dflash" if tables[0].phase == "decode_dflash" else "ar", findings=findings)
    for table in tables:
        observation = Observation(table.phase, tags=("profiled",), profile=table)
        if table.phase == "prefill" and table.wall_tok_s is not None:
            observation.metrics["prefill_tok_s"] = table.wall_tok_s
        part.observations.append(observation)
    return part
