"""Defining on demand: only what a statement uses, when it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from queries.definition import definition, no_stand_in, stand_in
from queries.order import OrderError, names_in, names_used

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import duckdb

    from queries.definition import Query


class Definer:
    """Derives and defines what statements use, once each.

    Deriving and defining everything takes a second; a reader of a few files asks two or three
    relations.

    Args:
        connection: where they are defined.
        known: queries by their signature.
        facts: what derives a fact, by its name.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        known: Mapping[str, Query],
        facts: Mapping[str, Callable[[], None]],
    ) -> None:
        self._connection = connection
        self._known = dict(known)
        self._facts = dict(facts)
        self._standing_in: list[Query] = []

    def __call__(self, sql: str) -> None:
        """Define all that a statement uses."""
        try:
            names = names_in(self._connection, sql)
        except OrderError:
            return  # no SELECT: it uses nothing that is defined here
        self._define(names)
        while self._standing_in:
            self._connection.execute(no_stand_in(self._standing_in.pop()))

    def _define(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self._facts:
                self._facts.pop(name)()
            elif name in self._known:
                query = self._known.pop(name)
                self._define(names_used(self._connection, query))
                for statement in definition(query, temporary=False):
                    self._connection.execute(statement)
                if query.folder == "views" and not query.called:
                    self._connection.execute(stand_in(query))
                    self._standing_in.append(query)
