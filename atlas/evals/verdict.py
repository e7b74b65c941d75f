"""Two sides → a verdict: what forbids the comparison is found here, the rest is macro ``judge``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.compare.judge import ask_macros, judge

if TYPE_CHECKING:
    from atlas.evals.side import Side


@dataclass(frozen=True, slots=True)
class Terms:
    """How two sides are compared.

    Attributes:
        factor: what may differ: ``code``, ``env:NAME`` or ``aa`` (nothing).
        goal: ``maximize`` or ``minimize``.
        order: ``abba`` or ``ab`` when the sides took turns; None for separate series.
        max_rel_spread: bound of stability.
        floor_pair_s: the host's A/A noise as sd of pair log ratios; None when unknown.
        same_command: both sides have to run one command; not where the commands are what is
            compared.
        incorrect: a correctness result failed.
    """

    factor: str = "code"
    goal: str = "maximize"
    order: str | None = None
    max_rel_spread: float = 0.20
    floor_pair_s: float | None = None
    same_command: bool = True
    incorrect: bool = False


def compare_sides(base: Side, candidate: Side, terms: Terms) -> dict[str, Any]:
    """The verdict over two sides.

    Returns:
        What macro ``judge`` says, and ``factor``, ``grade``, ``differs`` and ``unknown`` (fields).
        With a field in either there is no ratio: the verdict is ``incomparable``. A side without
        samples, as in documents of older tools, is ``insufficient`` before unknown fields matter.
    """
    differs, unknown = fields_apart(base, candidate, terms)
    told = [f"{name} differs" for name in differs]
    if base.samples:
        told += [f"{name} unknown" for name in unknown]
    if base.profiled or candidate.profiled:
        told.append("a side was profiled")
    block = 2 if terms.order == "abba" else 1
    verdict = judge(
        base.samples,
        candidate.samples,
        goal=terms.goal,
        paired=terms.order is not None,
        block=block,
        floor_s=_floor(terms, block),
        max_rel_spread=terms.max_rel_spread,
        incomparable=told,
        identical=terms.factor == "code" and _identical(base, candidate),
        incorrect=terms.incorrect,
        weak=base.weak,
    )
    grade = _grade(base, candidate, terms)
    return {
        **verdict,
        "factor": terms.factor,
        "grade": grade,
        "differs": differs,
        "unknown": unknown,
    }


def fields_apart(base: Side, candidate: Side, terms: Terms) -> tuple[list[str], list[str]]:
    """Fields outside the factor that differ, and those that one or both sides don't tell.

    NULL on both sides is accepted for the parts of the device, as programs that use none print
    none.
    """
    pairs: dict[str, tuple[Any, Any]] = {
        "metric": (base.metric, candidate.metric),
        "host": (base.host, candidate.host),
        "device": (base.device, candidate.device),
        "env": (_compared_env(base, terms), _compared_env(candidate, terms)),
    }
    if terms.same_command:
        pairs["command"] = (base.command_digest, candidate.command_digest)
    if terms.factor != "code":
        pairs["binary_md5"] = (base.binary_md5, candidate.binary_md5)
    differs = [n for n, (a, b) in pairs.items() if a is not None and b is not None and a != b]
    unknown = [n for n, (a, b) in pairs.items() if a is None or b is None]
    differs += [f"{name} within a side" for name in (*base.changed, *candidate.changed)]
    return differs, unknown


def _compared_env(side: Side, terms: Terms) -> dict[str, str] | None:
    """Variables that have to be equal: all but those the factor names."""
    if side.env is None:
        return None
    if not terms.factor.startswith("env:"):
        return side.env
    named = terms.factor.removeprefix("env:").split(",")
    return {name: value for name, value in side.env.items() if name not in named}


def _identical(base: Side, candidate: Side) -> bool:
    """The very same program was measured twice: never said of scripts."""
    same = (base.binary_md5, base.code_objects, base.command_digest, base.env) == (
        candidate.binary_md5,
        candidate.code_objects,
        candidate.command_digest,
        candidate.env,
    )
    known = None not in (base.binary_md5, base.code_objects, base.command_digest, base.env)
    return same and known and base.binary_kind == candidate.binary_kind == "elf"


def _floor(terms: Terms, block: int) -> float | None:
    """The noise floor in the units of the estimate: a run's sd, a pair's, or a block's mean."""
    if terms.floor_pair_s is None:
        return None
    single = terms.order is None or block > 1
    return terms.floor_pair_s / (2**0.5) if single else terms.floor_pair_s


def _grade(base: Side, candidate: Side, terms: Terms) -> str:
    """How far apart the sides were measured; what is unknown counts as apart."""
    pair = {
        "paired": terms.order is not None,
        "same_session": base.session_id is not None and base.session_id == candidate.session_id,
        "same_host": base.host is not None and base.host == candidate.host,
    }
    return str(ask_macros("grades", pairs=[pair])[0][1])
