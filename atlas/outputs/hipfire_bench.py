"""Text of ``hipfire bench``: per-run lines, ``ppN=rate`` lists, and the table of means.

Every run gives a ``prefill`` and a ``decode_ar`` observation with its ``run_index``; the table of
means gives one of each tagged ``aggregate``, for its value is a mean over runs of one process. A
run that is cold (see `atlas.outputs.cold`) is so in both phases.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from atlas.outputs.cold import slow_first
from atlas.outputs.key_values import pairs
from atlas.outputs.numbers import NUMBER, Number, finite, number, read
from atlas.outputs.part import Part
from atlas.outputs.reading import Observation, OutputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atlas.outputs.segments import Line
    from ledger.finding import Finding

_RUN = re.compile(r"\s*run\s+(\d{1,6})/\d+\s+(.*)")
_RUN_PARTS = (
    (re.compile(rf"pp ({NUMBER}) tok/s"), "prefill", "prefill_tok_s"),
    (re.compile(rf"TTFT ({NUMBER}) ms"), "prefill", "ttft_ms"),
    (re.compile(rf"decode ({NUMBER}) tok/s"), "decode_ar", "gen_tok_s"),
    (re.compile(r"\((\d+) tok\)"), "decode_ar", "gen_tokens"),
)
_SWEEP = re.compile(r"\s*prefill:\s+pp\d+=")
_SWEEP_KEY = re.compile(r"pp(\d{1,9})")
_COLUMNS = re.compile(r"\s*mean((?:\s+(?:min|max|stdev|median|p50))+)\s*")
_ROW = re.compile(r"\s*(Prefill|TTFT|Decode|Wall)\s+(tok/s|ms)\s+(.*)")
_ROW_METRICS = {
    ("Prefill", "tok/s"): ("prefill", "prefill_tok_s"),
    ("TTFT", "ms"): ("prefill", "ttft_ms"),
    ("Decode", "tok/s"): ("decode_ar", "gen_tok_s"),
    ("Wall", "tok/s"): ("decode_ar", "wall_tok_s"),
}
_PROMPT = re.compile(r"\(user prompt, (\d+) tok\)")


def is_hipfire_bench(lines: Sequence[Line]) -> bool:
    """Whether headerless lines are text of this bench."""
    return any(
        _SWEEP.match(text)
        or _COLUMNS.fullmatch(text)
        or ((run := _RUN.match(text)) and "tok/s" in run[2])
        for _, text in lines
    )


def read_hipfire_bench(lines: Sequence[Line], first_line: int) -> Part:
    """Observations of one invocation; an error when it printed no measurement at all."""
    part = Part("ar")
    for line in lines:
        if _SWEEP.match(line.text):
            part.observations += _sweep(line, part.findings)
    part.observations += _runs(lines, part.findings)
    part.observations += _means(lines, part.findings)
    if not part.observations:
        message = "the output of hipfire bench holds no measurement"
        part.errors.append(OutputError("no_measurement", message, "ar", first_line))
    return part


def _sweep(line: Line, findings: list[Finding]) -> list[Observation]:
    """``pp128=603 pp512=592``: a prefill observation for every prompt length."""
    found = []
    for key, text in pairs(line.text):
        size = _SWEEP_KEY.fullmatch(key)
        rate = read(text, key, line.no, findings) if size else None
        if size and rate is not None:
            metrics: dict[str, Number] = {"prefill_tokens": int(size[1]), "prefill_tok_s": rate}
            found.append(Observation("prefill", shape_bucket=f"pp{int(size[1])}", metrics=metrics))
    return found


def _runs(lines: Sequence[Line], findings: list[Finding]) -> list[Observation]:
    runs: dict[int, dict[str, Observation]] = {}
    for line in lines:
        match = _RUN.match(line.text)
        if match is None:
            continue
        index = int(match[1])
        phases: dict[str, Observation] = {}
        for pattern, phase, name in _RUN_PARTS:
            found = pattern.search(match[2])
            value = read(found[1], name, line.no, findings) if found else None
            if value is not None:
                fresh = Observation(
                    "prefill" if phase == "prefill" else "decode_ar", run_index=index
                )
                phases.setdefault(phase, fresh).metrics[name] = value
        runs[index] = phases
    _tag_cold(runs)
    return [observation for index in sorted(runs) for observation in runs[index].values()]


def _tag_cold(runs: dict[int, dict[str, Observation]]) -> None:
    """Tag the first run when it took much longer than the later ones, by rate or by TTFT."""
    if not runs or min(runs) != 1:
        return
    prefills = [
        phases["prefill"].metrics for _, phases in sorted(runs.items()) if "prefill" in phases
    ]
    rates = [finite(metrics.get("prefill_tok_s")) for metrics in prefills]
    waits = [finite(metrics.get("ttft_ms")) for metrics in prefills]
    if slow_first([1 / rate for rate in rates if rate]) or slow_first(
        [wait for wait in waits if wait]
    ):
        for observation in runs[1].values():
            observation.tag("cold")


def _means(lines: Sequence[Line], findings: list[Finding]) -> list[Observation]:
    """The table of means: further columns become metrics with the column's name as suffix."""
    columns: list[str] = []
    found: dict[str, Observation] = {}
    for line in lines:
        if header := _COLUMNS.fullmatch(line.text):
            columns = header[1].split()
            continue
        row = _ROW.match(line.text) if columns else None
        target = _ROW_METRICS.get((row[1], row[2])) if row else None
        if row is None or target is None:
            continue
        phase, name = target
        fresh = Observation("prefill" if phase == "prefill" else "decode_ar", tags=("aggregate",))
        observation = found.setdefault(phase, fresh)
        names = [name, *(f"{name}_{column}" for column in columns)]
        for key, text in zip(names, row[3].split("(")[0].split(), strict=False):
            value = read(text, key, line.no, findings)
            if value is not None:
                observation.metrics[key] = value
        if (prompt := _PROMPT.search(row[3])) and (tokens := number(prompt[1])) is not None:
            observation.metrics["prefill_tokens"] = tokens
            observation.shape_bucket = f"pp{tokens}"
    return list(found.values())
