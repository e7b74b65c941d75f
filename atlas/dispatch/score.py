"""Scores: points with the reasons they were given for, and the best few of many."""

from __future__ import annotations

from operator import itemgetter
from typing import Generic, NamedTuple, TypeVar

Item = TypeVar("Item")
Rank = tuple[int, bytes, int]

_SLACK = 256


class Reason(NamedTuple):
    """Why some points were given or taken."""

    what: str
    points: int

    def __str__(self) -> str:
        """The reason with its points, as it stands in ``match_reason``."""
        return f"{self.what} {self.points:+d}"


def total(reasons: tuple[Reason, ...]) -> int:
    """The score: the sum of all points."""
    return sum(reason.points for reason in reasons)


class Best(Generic[Item]):
    """Keeps the best items by score descending, path, line; memory stays bounded."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._offered = 0
        self._ranked: list[tuple[Rank, Item]] = []

    def offer(self, score: int, path: bytes, line: int, item: Item) -> None:
        """Takes an item into account; path and line together are given once only."""
        self._offered += 1
        self._ranked.append(((-score, path, line), item))
        if len(self._ranked) > self._limit + _SLACK:
            self._trim()

    @property
    def cut(self) -> int:
        """How many items were offered and are not among the best."""
        return max(0, self._offered - self._limit)

    def items(self) -> list[Item]:
        """The best items, best first."""
        self._trim()
        return [item for _, item in self._ranked]

    def _trim(self) -> None:
        self._ranked.sort(key=itemgetter(0))
        del self._ranked[self._limit :]
