"""One named metric out of the whole output of a benchmark command."""

from __future__ import annotations

import json
import math
import re
from collections import deque
from typing import TYPE_CHECKING, Any

from atlas.outputs.dflash import V0_NAMES, read_dflash
from atlas.outputs.numbers import finite, measured
from atlas.outputs.segments import Line
from atlas.outputs.summary import last_summary

if TYPE_CHECKING:
    from collections.abc import Callable

_BLOCK = "=== BENCH METRICS ==="
_BLOCK_SPAN = 20_000  # characters; the block has a dozen short lines


def find_metric(text: str, metric: str) -> float | None:
    """The value of a metric, looked up in the whole text.

    The first place that names the metric decides: the last bench ``SUMMARY``; the last DFlash
    metrics block, under printed or v0 names; ``metric=…``; ``metric: …`` (whole words, last match);
    a key of a JSON object, of the whole text or of the last line that has it.

    Args:
        text: clean text (see `atlas.outputs.text.decode`).
        metric: the name as a whole word.

    Returns:
        The value, or None when it was not printed, is not finite, or can't be read without doubt. A
        value that can't be read is not replaced by one from a later place.
    """
    if not metric:
        return None
    places: tuple[Callable[[str, str], tuple[float | None] | None], ...] = (
        _in_summary,
        _in_block,
        _after_sign,
        _after_colon,
        _in_json,
    )
    for place in places:
        found = place(text, metric)
        if found is not None:
            return found[0]
    return None


def _tail_lines(text: str, start: int, stop: int) -> list[Line]:
    return [
        Line(no, line) for no, line in enumerate(text[start:stop].splitlines(), 1) if line.strip()
    ]


def _in_summary(text: str, metric: str) -> tuple[float | None] | None:
    end = len(text)
    while (at := text.rfind("SUMMARY", 0, end)) >= 0:
        start = end = text.rfind("\n", 0, at) + 1
        lines = _tail_lines(text, start, at + 4000)
        summary = last_summary(lines[:1] + [x for x in lines[1:] if "SUMMARY" not in x.text], [])
        if summary:
            return (finite(summary.metrics[metric]),) if metric in summary.metrics else None
    return None


def _in_block(text: str, metric: str) -> tuple[float | None] | None:
    at = text.rfind(_BLOCK)
    if at < 0:
        return None
    part = read_dflash(_tail_lines(text, at, at + _BLOCK_SPAN), {}, 1, None)
    name = V0_NAMES.get(metric, metric)
    for observation in part.observations:
        if name in observation.metrics:
            return (finite(observation.metrics[name]),)
    return None


def _after_sign(text: str, metric: str) -> tuple[float | None] | None:
    return _last(
        re.compile(rf"(?<![\w.-]){re.escape(metric)}[ \t]{{0,4}}=[ \t]{{0,8}}([^\s=]\S*)"), text
    )


def _after_colon(text: str, metric: str) -> tuple[float | None] | None:
    return _last(re.compile(rf"(?<![\w.-]){re.escape(metric)}:[ \t]*(\S+)"), text)


def _last(pattern: re.Pattern[str], text: str) -> tuple[float | None] | None:
    newest: deque[re.Match[str]] = deque(pattern.finditer(text), maxlen=1)
    if not newest:
        return None
    last = newest[0]
    more = text[last.end() : last.end() + 1] in {" ", "\t"}
    token = last[1].rstrip(",;") if more else last[1]
    return (finite(measured(token)),)


def _in_json(text: str, metric: str) -> tuple[float | None] | None:
    if f'"{metric}"' not in text:
        return None
    whole = _object(text)
    if metric in whole:
        return (_json_number(whole[metric]),)
    for line in reversed(text.splitlines()):
        if metric in line and metric in (record := _object(line)):
            return (_json_number(record[metric]),)
    return None


def _object(text: str) -> dict[str, Any]:
    if not text.lstrip().startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _json_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None
