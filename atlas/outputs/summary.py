"""``SUMMARY`` and ``PREFILL_SUMMARY`` lines of the AR bench, pasted over several lines or not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.outputs.key_values import Pair, only_pairs, pairs
from atlas.outputs.numbers import Number, read
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atlas.outputs.segments import Line

REQUIRED = ("gen_tok_s", "bw_gib_s", "prefill_tok_s", "avg_ms", "p50_ms")
"""Keys without which a SUMMARY is no decode measurement."""

_START = re.compile(r"(PREFILL_|(?<!\w)|(?<=[a-z.!?)]))SUMMARY\b(?=\s)(.*)")
_FRAGMENT = re.compile(r"[.,]?[0-9][0-9.,]*(?:\s|$)")
_REACH = 4  # lines a pasted summary may spread over, counted from its first


@dataclass(slots=True)
class Summary:
    """The last summary of a kind in a segment: what it printed, where, and how many there were."""

    line: int
    metrics: dict[str, Number]
    count: int


def last_summary(
    lines: Sequence[Line], findings: list[Finding], *, prefill: bool = False
) -> Summary | None:
    """The last ``SUMMARY`` (or ``PREFILL_SUMMARY``) of a segment; earlier ones are a finding.

    Args:
        lines: the segment's lines.
        findings: receives refused numbers and the number of summaries left aside.
        prefill: look for ``PREFILL_SUMMARY``.
    """
    starts = []
    for position, line in enumerate(lines):
        match = _START.search(line.text) if "SUMMARY" in line.text else None
        if match and (match[1] == "PREFILL_") == prefill:
            starts.append((position, match[2]))
    found = [(position, _joined(lines, position, rest, findings)) for position, rest in starts[-1:]]
    if not found or not found[0][1]:
        return None
    position, printed = found[0]
    line_no = lines[position].no
    if len(starts) > 1:
        message = f"{len(starts)} summaries in one run; the last one counts"
        findings.append(Finding("several_summaries", message, f"line {line_no}"))
    metrics = {}
    for key, text in printed:
        value = read(text, key, line_no, findings)
        if value is not None:
            metrics[key] = value
    return Summary(line_no, metrics, len(starts))


def _joined(lines: Sequence[Line], position: int, rest: str, findings: list[Finding]) -> list[Pair]:
    """The pairs of a summary and of the lines it was wrapped over."""
    printed = list(pairs(rest))
    first = lines[position].no
    for line in lines[position + 1 : position + _REACH]:
        seen = {pair.key for pair in printed}
        if line.no >= first + _REACH or "SUMMARY" in line.text or seen.issuperset(REQUIRED):
            break
        more = list(pairs(line.text))
        if only_pairs(line.text) and seen.isdisjoint(pair.key for pair in more):
            printed += more
    after = next(
        (line for line in lines[position + 1 : position + 2] if line.no == first + 1), None
    )
    if after and printed and _FRAGMENT.match(after.text):
        cut = printed.pop()
        message = f"{cut.key} is broken over two lines; it was not read"
        findings.append(Finding("number_cut", message, f"line {first}"))
    return printed
