"""The suggestion a task is cut from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.errors import BadUsage, NotFound
from atlas.suggest.history import read_history
from ledger.observer import SILENT

if TYPE_CHECKING:
    from pathlib import Path

    from ledger.reader import Reader
    from queries.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Choice:
    """Which suggestion is wanted.

    Attributes:
        rank: from 1; ``suggestion_id``: or its id. Neither: the row itself is the task.
        max_suggestions: how many are made.
        hot_limit: how many kernels are looked at.
        history: folders and files of earlier tries.
    """

    rank: int | None = None
    suggestion_id: str | None = None
    max_suggestions: int = 12
    hot_limit: int = 8
    history: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if self.rank is not None and self.suggestion_id is not None:
            raise BadUsage("--suggestion-rank and --suggestion-id: one of them")

    @property
    def is_wanted(self) -> bool:
        """A suggestion was asked for."""
        return self.rank is not None or self.suggestion_id is not None


def suggestion_for(
    reader: Reader, catalog: Catalog, row: dict[str, Any], choice: Choice
) -> dict[str, Any] | None:
    """The chosen suggestion for a row; None when none was asked for.

    Args:
        reader: the ledger.
        catalog: its queries.
        row: typed fields of the row, with ``row_id``.
        choice: which one.

    Raises:
        NotFound: there is no such suggestion.
    """
    if not choice.is_wanted:
        return None
    found = ask(
        reader,
        catalog,
        "suggestions",
        row_id=row["row_id"],
        max_suggestions=choice.max_suggestions,
        hot_limit=choice.hot_limit,
        history=read_history(catalog, choice.history, SILENT),
    ).dicts()
    for one in found:
        if choice.rank == one["rank"] or choice.suggestion_id == one["id"]:
            return one
    wanted = f"rank {choice.rank}" if choice.rank is not None else choice.suggestion_id
    raise NotFound(
        f"no suggestion {wanted} among the {len(found)} for this row", hint="`atlas suggest`"
    )
