"""What a ledger asks of the catalog of queries that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb


class Fact(Protocol):
    """A typed table whose rows are a pure function of one event; its first column is ``event_id``.

    Attributes:
        name: name of the table.
        digest: of everything its rows depend on; another digest means: fill it again.
        stage: derives the rows of the staged events (``_parsed``) into a TEMP table of its own.
        create: makes the empty table in the shape of the staged rows, unless it is there.
        insert: adds the staged rows to the table.
        drop: drops the table if it is there.
        shadow: makes a TEMP table of the table's name from the staged rows.
    """

    name: str
    digest: str
    stage: str
    create: str
    insert: str
    drop: str
    shadow: str


class Catalog(Protocol):
    """Facts and definitions, ready to be executed in order.

    Attributes:
        digest: of all definitions (reference tables, macros, views), not of the facts.
        parse: makes the TEMP table ``_parsed`` from the TEMP table ``_new`` of events.
        facts: the fact tables.
    """

    digest: str
    parse: str
    facts: Sequence[Fact]

    def define(self, connection: duckdb.DuckDBPyConnection, *, temporary: bool) -> None:
        """Create or replace reference tables, macros and views, in order of their dependencies.

        Temporary ones live as long as the connection and work on a read-only database.
        """
