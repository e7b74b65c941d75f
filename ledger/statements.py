"""The ledger's own SQL statements, loaded by name from ``ledger/sql``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb


@cache
def statement(name: str) -> str:
    """Text of ``ledger/sql/NAME.sql``."""
    return (files("ledger") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def first(
    connection: duckdb.DuckDBPyConnection, name: str, parameters: Sequence[Any] = ()
) -> tuple[Any, ...] | None:
    """First row of the statement ``name``; None when there is none.

    The result is read to its end: an unread rest would block the connection's next statement.
    """
    rows = connection.execute(statement(name), parameters or None).fetchall()
    return rows[0] if rows else None


def literal(text: str) -> str:
    """``text`` as a quoted SQL string: for the one statement that takes no parameters, ATTACH."""
    return "'" + text.replace("'", "''") + "'"
