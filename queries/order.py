"""The order in which query files can be defined: what a file uses comes before it.

What it uses is found with DuckDB's own parser, which names relations and functions without looking
them up.
"""

from __future__ import annotations

import json
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

_SEEN: dict[str, set[str]] = {}
"""What statements use, by their text: parsing all of them takes a third of a second."""

_RELATION = "table_name"
_FUNCTION = "function_name"


class _Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def signature(self) -> str: ...
    @property
    def sql(self) -> str: ...


_Q = TypeVar("_Q", bound=_Named)


class OrderError(ValueError):
    """Query files can't be parsed, or use each other in a circle."""


def in_order(connection: duckdb.DuckDBPyConnection, queries: Sequence[_Q]) -> list[_Q]:
    """``queries``, each behind the ones it uses."""
    by_name = {query.signature: query for query in queries}
    graph = {
        signature: (names_used(connection, query) & by_name.keys()) - {signature}
        for signature, query in by_name.items()
    }
    try:
        return [by_name[name] for name in TopologicalSorter(graph).static_order()]
    except CycleError as error:
        raise OrderError(f"queries use each other in a circle: {error.args[1]}") from error


def names_used(connection: duckdb.DuckDBPyConnection, query: _Named) -> set[str]:
    """Signatures (``name`` of a relation, ``name()`` of a macro or function) in a statement.

    A common table expression hides a relation of its name.

    Raises:
        OrderError: DuckDB can't parse or serialise it (PIVOT, for one).
    """
    try:
        return names_in(connection, query.sql)
    except OrderError as error:
        raise OrderError(f"{query.name}.sql: {error}") from None


def names_in(connection: duckdb.DuckDBPyConnection, sql: str) -> set[str]:
    """As `names_used`, for the text of a statement.

    Raises:
        OrderError: it is not one SELECT that DuckDB can serialise.
    """
    if sql not in _SEEN:
        rows = connection.execute("SELECT json_serialize_sql($1::VARCHAR)", [sql]).fetchall()
        tree = json.loads(rows[0][0])
        if tree.get("error"):
            raise OrderError(tree.get("error_message", "not one SELECT"))
        _SEEN[sql] = set(_names(tree)) - set(_hidden(tree))
    return _SEEN[sql]


def _names(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == _RELATION and isinstance(value, str):
                yield value.lower()
            elif key == _FUNCTION and isinstance(value, str):
                yield f"{value.lower()}()"
            else:
                yield from _names(value)
    elif isinstance(node, list):
        for item in node:
            yield from _names(item)


def _hidden(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for entry in (node.get("cte_map") or {}).get("map", ()):
            yield entry["key"].lower()
        for value in node.values():
            yield from _hidden(value)
    elif isinstance(node, list):
        for item in node:
            yield from _hidden(item)
