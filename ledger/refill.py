"""Refilling: fact tables that are made again from all events."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ledger import facts
from ledger.connection import ROW_GROUP, second
from ledger.statements import first, statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from ledger.catalog import Catalog, Fact

_EVENTS_AT_ONCE = 2 * ROW_GROUP
"""Events that are derived in one transaction: memory stays flat, and row groups are full."""

_THREADS = 2
"""More would each want their share of memory; DuckDB itself runs a small slice in one thread."""


def refill(connection: duckdb.DuckDBPyConnection, catalog: Catalog, wanted: Sequence[Fact]) -> None:
    """Drop the tables of the given facts and derive them again from all events.

    A table counts as filled only when all of it is: after a kill the next writer starts again.
    """
    if not wanted:
        return
    connection.begin()
    for fact in wanted:
        connection.execute(fact.drop)
        connection.execute(statement("forget_failures"), [fact.name])
        connection.execute(statement("forget_state"), [f"fact {fact.name}"])
    connection.commit()
    _make_tables(connection, catalog, wanted)
    _fill_tables(connection, catalog, wanted)
    connection.begin()
    for fact in wanted:
        connection.execute(statement("note_state"), [f"fact {fact.name}", fact.digest])
    connection.commit()


def _make_tables(
    connection: duckdb.DuckDBPyConnection, catalog: Catalog, wanted: Sequence[Fact]
) -> None:
    """Make the tables, from no event at all."""
    _stage(connection, -1, -1)
    connection.execute(catalog.parse)
    for fact in wanted:
        connection.execute(fact.create)


def _fill_tables(
    connection: duckdb.DuckDBPyConnection, catalog: Catalog, wanted: Sequence[Fact]
) -> None:
    """Fill them, each thread through a connection of its own."""
    top = first(connection, "count_slots")
    begins = range(0, top[0] if top else 0, _EVENTS_AT_ONCE)
    if len(begins) < _THREADS:
        _fill_slices(connection, catalog, wanted, begins)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_THREADS, thread_name_prefix="refill") as pool:
        shares = [begins[nth::_THREADS] for nth in range(_THREADS)]
        done = [pool.submit(_in_second, connection, catalog, wanted, share) for share in shares]
    for one in done:
        one.result()


def _in_second(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    wanted: Sequence[Fact],
    begins: Sequence[int],
) -> None:
    with second(connection) as own:
        _fill_slices(own, catalog, wanted, begins)


def _fill_slices(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    wanted: Sequence[Fact],
    begins: Sequence[int],
) -> None:
    for begin in begins:
        _stage(connection, begin, begin + _EVENTS_AT_ONCE)
        some = partial(facts.touched_now, connection, wanted)
        facts.commit(connection, catalog, lambda: None, [some])


def _stage(connection: duckdb.DuckDBPyConnection, begin: int, end: int) -> None:
    connection.execute(statement("slice_begin"), [begin])
    connection.execute(statement("slice_end"), [end])
    connection.execute(statement("stage_slice"))
