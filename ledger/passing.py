"""Ledgers that live as long as a question: in memory, over events that are recorded nowhere."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ledger import facts, schema
from ledger.append import append
from ledger.connection import in_memory, lock_down
from ledger.envelope import seal
from ledger.reader import Reader
from ledger.statements import statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ledger.catalog import Catalog, Fact
    from ledger.envelope import Draft


@contextmanager
def passing(
    catalog: Catalog, drafts: Sequence[Draft], blobs: Mapping[str, bytes] | None = None
) -> Iterator[Reader]:
    """A reader over an in-memory ledger that holds just these events and is gone afterwards.

    Its facts are derived, and its views defined, when a statement asks for them.
    """
    events = [seal(draft, "00000000-0000-0000-0000-000000000000", 0) for draft in drafts]
    with in_memory() as connection:
        schema.migrate(connection)
        append(connection, catalog, events, blobs or {}, ())
        connection.execute(statement("stage_all"))
        facts.derive(connection, catalog, ())

        def derive(fact: Fact) -> None:
            facts.derive(connection, catalog, [fact], parsed=True)
            connection.execute(fact.shadow)

        define = catalog.definer(connection, derive)
        lock_down(connection)
        yield Reader(connection, define)
