"""Reading: one locked-down, read-only connection, and results as plain data."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ledger.errors import QueryRefused
from ledger.statements import statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import duckdb

_ROWS_AT_ONCE = 2_000

_ALLOWED = frozenset({"SELECT", "EXPLAIN"})
"""Statement types; DESCRIBE, SHOW, FROM and WITH are SELECTs to DuckDB's parser."""


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of one statement.

    Attributes:
        columns: names, in order.
        types: DuckDB type names, in the same order.
        rows: tuples of Python values.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def dicts(self) -> list[dict[str, Any]]:
        """Each row as a dictionary."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Reader:
    """Asks a ledger that can't be changed through it.

    Everything outside the database (files, network, extensions, settings) is out of reach; names
    and values from users are bound as parameters, never pasted into the text.

    Args:
        connection: stays open as long as the reader is used.
        define: called with each statement before it runs, where views are defined on demand.

    Attributes:
        connection: for the ledger's own modules.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        define: Callable[[str], None] | None = None,
    ) -> None:
        self.connection = connection
        self._define = define

    def ask(self, sql: str, parameters: Mapping[str, Any] | Sequence[Any] = ()) -> Result:
        """Run one trusted statement of the catalog or of the ledger.

        Raises:
            QueryRefused: a parameter doesn't fit.
        """
        import duckdb

        values = parameters.values() if isinstance(parameters, Mapping) else parameters
        _refuse_half_characters(*(value for value in values if isinstance(value, str)))
        try:
            if self._define is not None:
                self._define(sql)
            cursor = self.connection.execute(sql, parameters or None)
            return _result(cursor)
        except duckdb.Error as error:
            raise _refused(error) from error

    def stream(
        self, sql: str, parameters: Mapping[str, Any] | Sequence[Any] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """Rows of one trusted statement, some in memory at a time; nothing else may be asked."""
        cursor = self.connection.execute(sql, parameters or None)
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            yield from rows

    def show_files(self, seen: Sequence[Mapping[str, Any]]) -> None:
        """Let relations see what was observed on this host, for as long as the connection lives.

        Args:
            seen: rows of the TEMP table ``observed_files``; it hides the empty view of that name.
        """
        text = json.dumps(seen)
        self.connection.execute(statement("observed_files"), {"seen": text}).fetchall()

    def ask_freely(self, sql: str, *, seconds: float) -> Result:
        """Run one statement somebody typed, for at most ``seconds``.

        Raises:
            QueryRefused: it is more than one statement, does not only read, is wrong, or takes
                too long.
        """
        import duckdb

        _refuse_half_characters(sql)
        self._refuse_unless_reading(sql)
        timer = threading.Timer(seconds, self.connection.interrupt)
        timer.start()
        try:
            if self._define is not None:
                self._define(sql)
            return _result(self.connection.execute(sql))
        except duckdb.InterruptException:
            raise QueryRefused(
                f"stopped after {seconds:g} s", hint="narrow it, or raise --timeout"
            ) from None
        except duckdb.Error as error:
            raise _refused(error) from error
        finally:
            timer.cancel()

    def _refuse_unless_reading(self, sql: str) -> None:
        import duckdb

        try:
            statements = self.connection.extract_statements(sql)
        except duckdb.Error as error:
            raise _refused(error) from error
        if len(statements) != 1:
            raise QueryRefused(
                f"one statement is wanted, this is {len(statements)}", hint="ask one at a time"
            )
        kind = statements[0].type.name
        if kind not in _ALLOWED:
            raise QueryRefused(
                f"{kind} is refused: a ledger is only read here",
                hint="use one SELECT, WITH, FROM, EXPLAIN, DESCRIBE or SHOW statement",
            )


def _refuse_half_characters(*texts: str) -> None:
    """Bytes of a command line that are no UTF-8 arrive as lone surrogates."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise QueryRefused(
                f"{ascii(text)[:80]} is no UTF-8", hint="check the terminal's encoding"
            ) from None


def _result(cursor: duckdb.DuckDBPyConnection) -> Result:
    description = cursor.description or []
    columns = tuple(column[0] for column in description)
    types = tuple(str(column[1]) for column in description)
    return Result(columns, types, cursor.fetchall())


def _refused(error: Exception) -> QueryRefused:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if line.startswith(("Did you mean", "Candidate bindings"))]
    first = lines[0] if lines else type(error).__name__
    return QueryRefused(first, hint=said[0] if said else "`atlas query` lists what can be asked")
