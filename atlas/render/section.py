"""What a report is made of: titled sections of lines, tables and bars; renderers know no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BAR_WIDTH = 16
"""Characters of a full bar."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Plain lines; leading blanks indent."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text; columns of numbers are right-aligned, the widest one folds where space ends."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

    Attributes:
        name: what it measures; empty when it belongs to the bar above.
        kind: which of several measures.
        value: None when it is unknown.
        full: value that fills it; more does not overflow.
        text: the value as text.
        note: a few words behind it.
    """

    name: str
    kind: str
    value: float | None
    full: float
    text: str
    note: str

    @property
    def part(self) -> float:
        """Filled part, 0 to 1."""
        return 0.0 if self.value is None else max(0.0, min(1.0, self.value / self.full))

    @property
    def cells(self) -> int:
        """Filled characters; something is visible of everything above zero."""
        return round(self.part * BAR_WIDTH) or int(self.part > 0)


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars that stand together."""

    bars: Sequence[Bar]


Part = Lines | Table | Bars


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of a report; without a title it is the headline."""

    title: str
    parts: Sequence[Part]
