"""Judging numbers that came without a ledger: two series, or a file with many."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from atlas.compare.judge import ask_macros, judge, judge_all
from atlas.errors import BadInput, BadUsage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHOWN = ("verdict", "ratio", "lo", "hi", "n_a", "n_b", "mde", "runs_needed")
"""What is told of every comparison of bare numbers, in this order."""

_AT_ONCE = 1000


def judge_text(base: str, candidate: str, *, explain: bool, **flags: Any) -> dict[str, Any]:
    """Judge two series given as ``1,2,3``.

    Returns:
        `SHOWN` first, then everything else the macro says, and with ``explain`` a permutation p.

    Raises:
        BadUsage: a part is no number.
    """
    a, b = _numbers("--a", base), _numbers("--b", candidate)
    told = judge(a, b, **flags)
    if explain:
        told["p"] = ask_macros("chance", base=a, candidate=b)[0][0]
    return {name: told[name] for name in SHOWN} | told


def judge_file(lines: Iterable[str], name: str, **flags: Any) -> Iterator[dict[str, Any]]:
    """Judge ``base_runs`` against ``var_runs`` of each line of a JSONL file.

    Blank lines are skipped. Some lines are judged at a time, so that any file fits in memory.

    Raises:
        BadInput: a line is no such object; the lines before it may have been judged.
    """
    batch: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        batch.append({**_pair(line, f"{name}:{number}"), **flags})
        if len(batch) == _AT_ONCE:
            yield from map(_shown, judge_all(batch))
            batch = []
    yield from map(_shown, judge_all(batch))


def _shown(told: dict[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in SHOWN}


def _pair(line: str, where: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}: no JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadInput(f"{where}: no JSON object", hint="base_runs and var_runs a line")
    return {
        "base": _runs(value.get("base_runs"), f"{where}: base_runs"),
        "candidate": _runs(value.get("var_runs"), f"{where}: var_runs"),
    }


def _runs(value: Any, where: str) -> list[float]:
    if not isinstance(value, list) or not all(_is_number(one) for one in value):
        raise BadInput(f"{where} is no list of numbers", hint="one number per process")
    return value


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _numbers(option: str, text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise BadUsage(f"{option} {text!r} is no list of numbers", hint="1.5,2.5,3.5") from None
    if not found or not all(map(math.isfinite, found)):
        raise BadUsage(f"{option} {text!r} holds no finite number", hint="1.5,2.5,3.5")
    return found
