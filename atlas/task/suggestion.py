"""The suggestion a task is cut from, where the catalog can make suggestions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.errors import BadUsage, NotFound

if TYPE_CHECKING:
    from pathlib import Path

    from ledger.reader import Reader
    from queries.catalog import Catalog

_RELATION = "suggestions"


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
        catalog: its queries; those with a relation ``suggestions`` can make some.
        row: typed fields of the row, with ``row_id``.
        choice: which one.

    Raises:
        NotFound: there is no such suggestion.
    """
    if not choice.is_wanted:
        return None
    query = catalog.find("views", _RELATION)
    if query is None:
        raise NotFound("this catalog makes no suggestions", hint="cut the task from the row itself")
    given = {
        "row_id": row["row_id"],
        "max_suggestions": choice.max_suggestions,
        "hot_limit": choice.hot_limit,
    }
    taken = {param.name for param in query.header.params}
    known = {name: value for name, value in given.items() if name in taken}
    found = ask(reader, catalog, _RELATION, **known).dicts()
    for one in found:
        if choice.rank == one["rank"] or choice.suggestion_id == one["id"]:
            return one
    wanted = f"rank {choice.rank}" if choice.rank is not None else choice.suggestion_id
    raise NotFound(
        f"no suggestion {wanted} among the {len(found)} for this row", hint="`atlas suggest`"
    )
