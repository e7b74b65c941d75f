"""What a ledger asks of the catalog of queries that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb


class Fact(Protocol):
    """A typed table; each row is a pure function of the event its ``event_id`` names."""

    @property
    def name(self) -> str:
        """Name of the table."""

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of events that it has rows of; empty when it may have some of any."""

    @property
    def digest(self) -> str:
        """Of everything its rows depend on; another digest means: fill it again."""

    @property
    def stage(self) -> str:
        """Derives the rows of the staged events (``_parsed``) into a TEMP table of its own."""

    @property
    def create(self) -> str:
        """Makes the empty table, unless it is there."""

    @property
    def fill(self) -> str:
        """Adds the rows of the staged events (``_parsed``) to the table."""

    @property
    def begin_gathering(self) -> str:
        """Makes an empty TEMP table in the shape of the staged rows, to gather them."""

    @property
    def gather(self) -> str:
        """Adds the staged rows to the gathered ones."""

    @property
    def insert_gathered(self) -> str:
        """Adds the gathered rows to the table."""

    @property
    def drop(self) -> str:
        """Drops the table if it is there."""

    @property
    def compare(self) -> str:
        """Rows that the table has and the staged rows don't, or the other way round."""

    @property
    def shadow(self) -> str:
        """Makes a TEMP table of the table's name from the staged rows."""


class Catalog(Protocol):
    """Facts and definitions, ready to be executed in order."""

    @property
    def digest(self) -> str:
        """Of all definitions (reference tables, macros, views), not of the facts."""

    @property
    def parse(self) -> str:
        """Makes the TEMP table ``_parsed`` from the TEMP table ``_new`` of events."""

    @property
    def facts(self) -> Sequence[Fact]:
        """The fact tables."""

    def definer(
        self, connection: duckdb.DuckDBPyConnection, derive: Callable[[Fact], None]
    ) -> Callable[[str], None]:
        """What defines all that a statement uses, when it is called with its text.

        Facts that it uses are made by ``derive``.
        """

    def define(self, connection: duckdb.DuckDBPyConnection, *, temporary: bool) -> None:
        """Create or replace reference tables, macros and views, in order of their dependencies.

        Temporary ones live as long as the connection and work on a read-only database.
        """
