"""Text of the DFlash and MTP demos, and arms saved as ``key=value``: one decode observation.

The key block is authoritative; the prose lines (``emitted: …``, ``cycles: …``) only fill what it
lacks. A demo's prefill is timed before the clocks are warm, so it never is a prefill observation:
its numbers stay with the decode row, which is tagged ``cold`` when the prefill was slower per token
than the decode (see `atlas.outputs.cold`) or a kernel was compiled after it began. With
``AR-BASELINE MODE`` there is no
draft: the row is ``decode_ar``, tagged ``ar_baseline``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from atlas.outputs.cold import slow_prefill
from atlas.outputs.key_values import Pair, colon_pair, only_pairs, pairs
from atlas.outputs.numbers import NUMBER, Number, measured, read
from atlas.outputs.part import Part
from atlas.outputs.profile import profile_tables
from atlas.outputs.reading import Observation, OutputError, WorkloadKind
from atlas.outputs.relevance import is_jit
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from atlas.outputs.segments import Line

V0_NAMES = {
    "decode_tau": "tau",
    "decode_tokens_emitted": "emitted_tokens",
    "decode_secs": "elapsed_s",
    "tok_s": "decode_tok_s",
    "accepted_mtp_total": "accepted",
    "τ": "tau",
}
"""v0 metric names of printed keys; other keys keep their names."""

_METRIC_KEYS = frozenset(
    [
        "decode_tau",
        "decode_tokens_emitted",
        "decode_secs",
        "tok_s",
        "accepted_mtp_total",
        "tau",
        "decode_tok_s",
        "decode_accept_rate",
        "prompt_tokens",
        "prefill_secs",
        "prefill_tok_s",
        "ttft_ms",
        "vram_used_mb",
        "vram_total_mb",
        "cycles",
        "accepted",
        "committed",
        "emitted_tokens",
        "elapsed_s",
        "mean_committed",
    ]
)
_STRONG = ("decode_tok_s", "decode_tau", "decode_tokens_emitted", "accepted_mtp_total")
_DIGESTS = re.compile(r"prompt_md5|rendered_prompt_md5|token_sha\d+")
_BLOCK = "=== BENCH METRICS ==="
_EMITTED = re.compile(rf"\s*emitted:\s+(\d+) tokens in ({NUMBER})s\s+\(({NUMBER}) tok/s\)")
_PREFILL = re.compile(rf"\s*prefill in ({NUMBER})s \(({NUMBER}) tok/s\)")
_CYCLES = re.compile(r"\s*cycles:\s+\d+\s+committed:")
_PROSE = re.compile(r"(\w+)[:=]\s*(\S+)")
_PROSE_KEYS = frozenset({"cycles", "committed", "accepted", "τ", "tau", "mean_committed"})
_TIMED_STARTS = re.compile(r"\s*(?:seeding |prefilling |decoding \()")
_HISTOGRAM = re.compile(r"\s*histogram:\s*\[(.*)\]\s*$")
_BUCKET = re.compile(r"\(\s*(\d{1,9})\s*,\s*(\d{1,18})\s*\)")


def is_dflash(lines: Sequence[Line]) -> bool:
    """Whether headerless lines are text of a demo, or an arm saved as ``key=value``."""
    return any(
        _BLOCK in line.text
        or _EMITTED.match(line.text)
        or any(key in _STRONG for key, _ in _line_pairs(line.text))
        for line in lines
    )


def read_dflash(
    lines: Sequence[Line], facts: dict[str, Any], first_line: int, program: str | None
) -> Part:
    """The decode observation of one demo run, or the reason why there is none.

    Args:
        lines: the segment's lines.
        facts: its identity hints (``max_tokens`` and ``ctx`` make the shape bucket).
        first_line: where the segment starts, for errors.
        program: the name in the header; its ``mtp`` tags the row.
    """
    part = Part("dflash")
    metrics, line = _metrics(lines, part)
    baseline = any("AR-BASELINE MODE" in text for _, text in lines)
    observation = Observation("decode_ar" if baseline else "decode_dflash", metrics=metrics)
    if baseline:
        part.workload_kind = "ar"
        observation.tag("ar_baseline")
        _check_baseline(metrics, line, part)
    elif facts.get("max_tokens") is not None and facts.get("ctx") is not None:
        observation.shape_bucket = f"dflash_max{facts['max_tokens']}_ctx{facts['ctx']}"
    if "mtp" in (program or "") or any(
        pair.key == "accepted_mtp_total" for _, pair in _printed(lines)
    ):
        observation.tag("mtp")
    if slow_prefill(metrics) or _compiled_while_timed(lines):
        observation.tag("cold")
    observation.histogram = _histogram(lines, part.findings)
    problem = _problem(metrics, line or first_line, baseline=baseline)
    if problem:
        part.errors.append(problem)
    else:
        part.observations.append(observation)
    _attach_profiles(lines, part)
    return part


def _line_pairs(text: str) -> Iterator[Pair]:
    """The pairs of a line that is one ``key: value`` or nothing but ``key=value``."""
    pair = colon_pair(text)
    if pair:
        yield pair
    elif only_pairs(text):
        yield from pairs(text)


def _printed(lines: Sequence[Line]) -> Iterator[tuple[int, Pair]]:
    """Keys of the metrics block, or, without one, every known key on a line of its own."""
    starts = [index for index, line in enumerate(lines) if _BLOCK in line.text]
    block = lines[starts[-1] + 1 :] if starts else lines
    for line in block:
        if "===" in line.text and starts:
            return
        if _CYCLES.match(line.text) or _EMITTED.match(line.text):
            continue
        for pair in _line_pairs(line.text):
            if starts or pair.key in _METRIC_KEYS or "_" in pair.key:
                yield line.no, pair


def _metrics(lines: Sequence[Line], part: Part) -> tuple[dict[str, Number], int]:
    """Metrics under their v0 names, and the line of the last required one."""
    metrics: dict[str, Number] = {}
    last = 0
    for number, (key, text) in _printed(lines):
        if _DIGESTS.fullmatch(key):
            part.facts[key] = text
        elif key in _METRIC_KEYS or measured(text) is not None:
            value = read(text, key, number, part.findings)
            if value is not None:
                metrics[V0_NAMES.get(key, key)] = value
                last = number
        elif key not in {"kv_mode", "kv_cache", "histogram"}:
            part.facts[key] = text
    blocks = sum(_BLOCK in text for _, text in lines)
    if blocks > 1:
        message = f"{blocks} metric blocks in one run; the last one counts"
        part.findings.append(Finding("several_summaries", message, f"line {last}"))
    return _prose(lines, part.findings) | metrics, last


def _prose(lines: Sequence[Line], findings: list[Finding]) -> dict[str, Number]:
    """What the sentences say; weaker than the key block."""
    found: dict[str, Number | None] = {}
    for line in lines:
        if emitted := _EMITTED.match(line.text):
            for name, text in zip(
                ("emitted_tokens", "elapsed_s", "decode_tok_s"), emitted.groups(), strict=True
            ):
                found[name] = read(text, name, line.no, findings)
        elif prefill := _PREFILL.match(line.text):
            found["prefill_secs"] = read(prefill[1], "prefill secs", line.no, findings)
            found["prefill_tok_s"] = read(prefill[2], "prefill tok/s", line.no, findings)
        elif _CYCLES.match(line.text):
            for key, text in _PROSE.findall(line.text):
                if key in _PROSE_KEYS:
                    found[V0_NAMES.get(key, key)] = read(text, key, line.no, findings)
        elif (pair := colon_pair(line.text)) and pair.key in {"cycles", "accepted"}:
            found[pair.key] = measured(pair.value)
    return {name: value for name, value in found.items() if value is not None}


def _compiled_while_timed(lines: Sequence[Line]) -> bool:
    """Whether a kernel was compiled after the prefill began; loading is not timed."""
    timed = False
    for line in lines:
        timed = timed or _TIMED_STARTS.match(line.text) is not None
        if timed and is_jit(line.text):
            return True
    return False


def _check_baseline(metrics: dict[str, Number], line: int, part: Part) -> None:
    tau = metrics.get("tau")
    if tau is not None and tau != 1:
        message = f"AR-BASELINE MODE has no draft, yet tau is {tau}"
        part.findings.append(Finding("baseline_with_draft", message, f"line {line}"))


def _problem(metrics: dict[str, Number], line: int, *, baseline: bool) -> OutputError | None:
    kind: WorkloadKind = "ar" if baseline else "dflash"
    if metrics.get("emitted_tokens") == 0:
        return OutputError("zero_tokens", "no token was generated", kind, line)
    required = ("decode_tok_s",) if baseline else ("decode_tok_s", "tau")
    missing = [name for name in required if name not in metrics]
    if missing:
        return OutputError("missing_keys", f"the output lacks {', '.join(missing)}", kind, line)
    return None


def _histogram(lines: Sequence[Line], findings: list[Finding]) -> list[list[int]]:
    """``[accepted, count]`` pairs of the last acceptance histogram; empty when none can be read."""
    buckets: list[list[int]] = []
    for line in lines:
        if "histogram:" not in line.text:
            continue
        match = _HISTOGRAM.match(line.text)
        if match is None or _BUCKET.sub("", match[1]).strip(", "):
            findings.append(
                Finding(
                    "histogram_unreadable", "the histogram is cut or garbled", f"line {line.no}"
                )
            )
            continue
        buckets = [[int(accepted), int(count)] for accepted, count in _BUCKET.findall(match[1])]
    return buckets


def _attach_profiles(lines: Sequence[Line], part: Part) -> None:
    tables, findings = profile_tables(lines)
    part.findings += findings
    for table in tables:
        owner = next((o for o in part.observations if o.profile is None), None)
        if owner is None:
            owner = Observation(table.phase, tags=("partial",))
            part.observations.append(owner)
        owner.profile = table
    if tables:
        for observation in part.observations:
            observation.tag("profiled")
