"""Facts: typed tables that are filled in the transaction that appends their events.

A payload that makes a statement fail never blocks the ledger: the transaction is rolled back, the
event is found by halving, noted in ``facts_failed``, and the others are committed without it.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ledger.statements import statement

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import duckdb

    from ledger.catalog import Catalog, Fact


def touched(facts: Sequence[Fact], kinds: Collection[str]) -> list[Fact]:
    """The facts that events of these kinds can have rows of."""
    return [fact for fact in facts if not fact.kinds or not fact.kinds.isdisjoint(kinds)]


def touched_now(connection: duckdb.DuckDBPyConnection, facts: Sequence[Fact]) -> list[Fact]:
    """The facts that the events in ``_new`` can have rows of."""
    return touched(facts, [row[0] for row in connection.execute(statement("new_kinds")).fetchall()])


def commit(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    write: Callable[[], None],
    stages: Sequence[Callable[[], Sequence[Fact]]],
) -> list[tuple[str, str, str]]:
    """Commit what ``write`` adds together with the facts of all staged events.

    Args:
        connection: a writing connection, in no transaction.
        catalog: how payloads are parsed.
        write: inserts whatever belongs to the transaction; called again after a rollback.
        stages: each puts some events into ``_new`` and tells which of their facts are wanted.

    Returns:
        (event_id, fact, error) as `derive`.

    Raises:
        duckdb.Error: not a payload failed but the machine, a definition or ``write``; nothing is
            committed then.
    """
    import duckdb

    try:
        with _transaction(connection):
            write()
            for stage in stages:
                fill(connection, catalog, stage())
    except duckdb.Error as error:
        _raise_unless_payload(error)
    else:
        return []
    failed, gathered = _gather(connection, catalog, stages)
    with _transaction(connection):
        write()
        for fact in gathered:
            connection.execute(fact.insert_gathered)
        for row in failed:
            connection.execute(statement("fact_failed"), row)
    return failed


def fill(connection: duckdb.DuckDBPyConnection, catalog: Catalog, facts: Sequence[Fact]) -> None:
    """Add the facts of the events in ``_new``, straight from their payloads."""
    if facts:
        connection.execute(catalog.parse)
    for fact in facts:
        connection.execute(fact.fill)


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    import duckdb

    connection.begin()
    try:
        yield
        connection.commit()
    except duckdb.Error:
        with suppress(duckdb.Error):  # a failed commit has rolled back already
            connection.rollback()
        raise


def _gather(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    stages: Sequence[Callable[[], Sequence[Fact]]],
) -> tuple[list[tuple[str, str, str]], list[Fact]]:
    """Derive what can be derived into TEMP tables, outside any transaction."""
    failed: list[tuple[str, str, str]] = []
    gathered: dict[str, Fact] = {}
    for stage in stages:
        facts = stage()
        failed += derive(connection, catalog, facts)
        for fact in facts:
            if fact.name not in gathered:
                connection.execute(fact.begin_gathering)
                gathered[fact.name] = fact
            connection.execute(fact.gather)
    return failed, list(gathered.values())


def derive(
    connection: duckdb.DuckDBPyConnection,
    catalog: Catalog,
    facts: Sequence[Fact],
    *,
    parsed: bool = False,
) -> list[tuple[str, str, str]]:
    """Derive the facts of the events in TEMP table ``_new`` into their staging tables.

    Args:
        connection: in no transaction.
        catalog: how payloads are parsed.
        facts: those to derive; without any, payloads are only parsed.
        parsed: they are parsed already.

    Returns:
        (event_id, fact, error) for each event and each fact of it that failed; ``_parsed`` in
        place of the fact when none of its facts could be derived.

    Raises:
        duckdb.Error: not a payload failed but the machine (no space, an interrupt) or a definition.
    """
    import duckdb

    try:
        if not parsed:
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


def forget(connection: duckdb.DuckDBPyConnection, facts: Sequence[Fact]) -> None:
    """Mark facts as not made, within the caller's transaction: the next `refill` makes them."""
    for fact in facts:
        connection.execute(statement("forget_state"), [f"fact {fact.name}"])


def stale(connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> list[Fact]:
    """The facts whose table was made from another definition, or not at all."""
    made = dict(connection.execute(statement("catalog_state")).fetchall())
    return [fact for fact in catalog.facts if made.get(f"fact {fact.name}") != fact.digest]


def shadow(connection: duckdb.DuckDBPyConnection, catalog: Catalog, facts: Sequence[Fact]) -> None:
    """Derive facts into TEMP tables of the same names: for a reader that may not write."""
    connection.execute(statement("stage_all"))
    derive(connection, catalog, facts)
    for fact in facts:
        connection.execute(fact.shadow)
