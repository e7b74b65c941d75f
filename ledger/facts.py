"""Facts: typed tables that are filled in the transaction that appends their events.

The rows of a fact are derived into TEMP tables first, outside any transaction: a payload that makes
a statement fail is found there, noted in ``facts_failed``, and never blocks the ledger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.statements import first, statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from ledger.catalog import Catalog, Fact

_REFILL_EVENTS = 60_000
"""Events that a refill derives at a time, so that memory stays flat."""


def derive(
    connection: duckdb.DuckDBPyConnection, catalog: Catalog, facts: Sequence[Fact]
) -> list[tuple[str, str, str]]:
    """Derive the facts of the events in TEMP table ``_new`` into their staging tables.

    Returns:
        (event_id, fact, error) for each event and each fact of it that failed; ``_parsed`` in
        place of the fact when none of its facts could be derived.

    Raises:
        duckdb.Error: not a payload failed but the machine (no space, an interrupt) or a definition.
    """
    import duckdb

    try:
        connection.execute(catalog.parse)
        for fact in facts:
            connection.execute(fact.stage)
    except duckdb.Error as error:
        _raise_unless_payload(error)
        return _derive_good(connection, catalog, facts)
    return []


def _raise_unless_payload(error: duckdb.Error) -> None:
    """Never take trouble of the machine for a bad payload: its events would lose their facts."""
    import duckdb

    machine = duckdb.IOException | duckdb.FatalException | duckdb.InterruptException
    if isinstance(error, machine):
        raise error


def _derive_good(
    connection: duckdb.DuckDBPyConnection, catalog: Catalog, facts: Sequence[Fact]
) -> list[tuple[str, str, str]]:
    """Derive each fact of the events that have it; one that fails takes no other with it."""
    ids = [row[0] for row in connection.execute(statement("new_ids")).fetchall()]
    connection.execute(statement("keep_new"))
    failed = _stage_good(connection, (catalog.parse,), "_parsed", ids)
    lost = {event_id for event_id, _, _ in failed}
    parsed = [event_id for event_id in ids if event_id not in lost]
    for fact in facts:
        failed += _stage_good(connection, (catalog.parse, fact.stage), fact.name, parsed)
    connection.execute(statement("widen_new"))
    return failed


def _stage_good(
    connection: duckdb.DuckDBPyConnection, statements: Sequence[str], name: str, ids: list[str]
) -> list[tuple[str, str, str]]:
    """Run the statements on the given events without those that make them fail; tells those."""
    failed = _failing(connection, statements, name, ids)
    if failed:
        lost = {event_id for event_id, _, _ in failed}
        good = [event_id for event_id in ids if event_id not in lost]
        _narrow(connection, good)
        for one in statements:
            connection.execute(one)
    return failed


def _narrow(connection: duckdb.DuckDBPyConnection, ids: list[str]) -> None:
    connection.execute(statement("narrow_ids"), [ids])
    connection.execute(statement("narrow_new"))


def _failing(
    connection: duckdb.DuckDBPyConnection, statements: Sequence[str], name: str, ids: list[str]
) -> list[tuple[str, str, str]]:
    """Find the events on which the statements fail, by halving."""
    import duckdb

    _narrow(connection, ids)
    try:
        for one in statements:
            connection.execute(one)
    except duckdb.Error as error:
        _raise_unless_payload(error)
        if not ids:  # it fails without any payload: the definition is broken
            raise
        if len(ids) == 1:
            return [(ids[0], name, str(error).splitlines()[0])]
        half = len(ids) // 2
        return [
            *_failing(connection, statements, name, ids[:half]),
            *_failing(connection, statements, name, ids[half:]),
        ]
    return []


def store(
    connection: duckdb.DuckDBPyConnection,
    facts: Sequence[Fact],
    failed: list[tuple[str, str, str]],
) -> None:
    """Add the staged rows to the fact tables, within the caller's transaction."""
    for fact in facts:
        connection.execute(fact.create)
        connection.execute(fact.insert)
    for row in failed:
        connection.execute(statement("fact_failed"), row)


def gather(connection: duckdb.DuckDBPyConnection, facts: Sequence[Fact], *, afresh: bool) -> None:
    """Put the staged rows with those gathered before, or begin ``afresh`` with them."""
    for fact in facts:
        if afresh:
            connection.execute(fact.begin_gathering)
        connection.execute(fact.gather)


def store_gathered(
    connection: duckdb.DuckDBPyConnection,
    facts: Sequence[Fact],
    failed: list[tuple[str, str, str]],
) -> None:
    """Add everything gathered to the fact tables, within the caller's transaction."""
    for fact in facts:
        connection.execute(fact.create)
        connection.execute(fact.insert_gathered)
    for row in failed:
        connection.execute(statement("fact_failed"), row)


def forget(connection: duckdb.DuckDBPyConnection, facts: Sequence[Fact]) -> None:
    """Mark facts as not made, within the caller's transaction: the next `refill` makes them."""
    for fact in facts:
        connection.execute(statement("forget_state"), [f"fact {fact.name}"])


def stale(connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> list[Fact]:
    """The facts whose table was made from another definition, or not at all."""
    made = dict(connection.execute(statement("catalog_state")).fetchall())
    return [fact for fact in catalog.facts if made.get(f"fact {fact.name}") != fact.digest]


def refill(connection: duckdb.DuckDBPyConnection, catalog: Catalog, facts: Sequence[Fact]) -> None:
    """Drop the given fact tables and derive them again from all events.

    A table counts as filled only when all of it is: after a kill the next writer starts again.
    """
    if not facts:
        return
    connection.begin()
    for fact in facts:
        connection.execute(fact.drop)
        connection.execute(statement("forget_failures"), [fact.name])
        connection.execute(statement("forget_state"), [f"fact {fact.name}"])
    connection.commit()
    top = first(connection, "count_slots")
    for begin in range(0, max(1, top[0] if top else 0), _REFILL_EVENTS):
        connection.execute(statement("stage_slice"), [begin, begin + _REFILL_EVENTS])
        connection.execute(statement("stage_sliced"))
        failed = derive(connection, catalog, facts)
        connection.begin()
        store(connection, facts, failed)
        connection.commit()
    connection.begin()
    for fact in facts:
        connection.execute(statement("note_state"), [f"fact {fact.name}", fact.digest])
    connection.commit()


def shadow(connection: duckdb.DuckDBPyConnection, catalog: Catalog, facts: Sequence[Fact]) -> None:
    """Derive facts into TEMP tables of the same names: for a reader that may not write."""
    connection.execute(statement("stage_all"))
    derive(connection, catalog, facts)
    for fact in facts:
        connection.execute(fact.shadow)
