"""Comparing two sides of a ledger: which runs each side stands for, and what SQL says of them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.compare.judge import ask_macros
from atlas.errors import AnswerIsNo, BadUsage
from atlas.select import select

if TYPE_CHECKING:
    from ledger.reader import Reader
    from queries.catalog import Catalog

_FACTOR = re.compile(r"code|host|aa|env:[A-Za-z_][A-Za-z0-9_]*")


class Incomparable(AnswerIsNo):
    """The rules of evidence forbid the comparison; the message names the fields."""

    code = "incomparable"


@dataclass(frozen=True, slots=True)
class Question:
    """How two sides are to be compared.

    Attributes:
        factor: what the comparison is about: ``code``, ``env:NAME``, ``host`` or ``aa``.
        delta: smallest change of interest, a fraction; by metric when None.
        explain: give a permutation p too.
    """

    factor: str = "code"
    delta: float | None = None
    explain: bool = False

    def __post_init__(self) -> None:
        if not _FACTOR.fullmatch(self.factor):
            raise BadUsage(f"{self.factor!r} is no factor", hint="one of code, host, aa, env:NAME")
        if self.delta is not None and not 0 <= self.delta < 1:
            raise BadUsage("delta is a fraction from 0 to below 1", hint="0.01 is one percent")


@dataclass(frozen=True, slots=True)
class Compared:
    """Comparisons of two sides, one a workload.

    Attributes:
        pairs: rows of the relation ``compared``.
        overall: ``{ratio, n, left_out}``, the geometric mean over the workloads both sides have;
            None for a single pair.
    """

    pairs: list[dict[str, Any]]
    overall: dict[str, Any] | None

    @property
    def refused(self) -> list[dict[str, Any]]:
        """The pairs that may not be compared."""
        return [pair for pair in self.pairs if pair["fields"]]


def compare(
    reader: Reader, catalog: Catalog, sides: tuple[str, str], question: Question
) -> Compared:
    """Compare what two texts stand for, workload by workload.

    A single row or event stands for its series; a selection for all its rows.

    Raises:
        NotFound: a side names nothing.
        BadUsage: a side is ambiguous.
        Incomparable: a side holds no run that may take part in a comparison.
    """
    members = [
        {"side": side, "id": sample}
        for side, text in zip("ab", sides, strict=True)
        for sample in samples_of(reader, catalog, text)
    ]
    return compare_members(reader, catalog, members, question)


def compare_members(
    reader: Reader, catalog: Catalog, members: list[dict[str, Any]], question: Question
) -> Compared:
    """Compare sides that are given as samples.

    Args:
        reader: the ledger.
        catalog: its queries.
        members: ``{side, id}`` and, to form pairs by something else than the workload, ``pair``.
        question: how to compare.
    """
    pairs = ask(
        reader,
        catalog,
        "compared",
        members=json.dumps(members),
        factor=question.factor,
        delta=question.delta,
        explain=question.explain,
    ).dicts()
    return Compared(pairs, _overall(pairs) if len(pairs) > 1 else None)


def refuse(compared: Compared) -> None:
    """Raise when not one pair may be compared.

    Raises:
        Incomparable: names every field of the first pairs.
    """
    if len(compared.refused) < len(compared.pairs):
        return
    told = [told_fields(pair) for pair in compared.refused]
    more = f" (and {len(told) - 3} more workloads)" if len(told) > 3 else ""
    raise Incomparable(
        f"not comparable: {'; '.join(told[:3])}{more}",
        hint="--allow-mismatch shows both sides' numbers without a verdict",
    )


def told_fields(pair: dict[str, Any]) -> str:
    """What forbids a comparison, in one line."""
    return ", ".join(_told_field(one) for one in pair["fields"])


def samples_of(reader: Reader, catalog: Catalog, text: str) -> list[str]:
    """Ids of the samples that ``text`` stands for.

    Raises:
        Incomparable: nothing of it may take part in a comparison, with the reason.
    """
    found = select(reader, catalog, text)
    ids = [row["row_id"] for row in found.rows] or [found.event_id]
    rows = ask(reader, catalog, "sample_ids", ids=ids, whole=not found.is_selection).rows
    if not rows:
        raise Incomparable(f"{text} holds no run to compare: {_why_not(found.rows)}")
    return [row[0] for row in rows]


def _why_not(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "the event holds no measurement"
    row = rows[0]
    if row["status"] != "ok":
        return f"row {row['row_id']} is {row['status']} ({'; '.join(row['why'] or ['no reason'])})"
    if row["contested"]:
        return f"row {row['row_id']} comes from a forked origin"
    return f"row {row['row_id']} has no value of {row['metric']}"


def _told_field(field: dict[str, Any]) -> str:
    if field["a"] is None and field["b"] is None:
        return f"{field['field']} {field['state']}"
    a, b = (value if value is not None else "unknown" for value in (field["a"], field["b"]))
    return f"{field['field']} {field['state']} ({a} / {b})"


def _overall(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    told: dict[str, Any] = ask_macros("overall", ratios=[pair["ratio"] for pair in pairs])[0][0]
    return told
