"""The catalog: loads the query files and turns each into the statement that its folder asks for.

This is the only place where SQL text is composed. Files are read when the catalog is made (a few
milliseconds); their order of definition is found only when something has to be defined.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from queries.definer import Definer
from queries.definition import CALLS, Query, definition, no_stand_in, quoted, stand_in
from queries.header import read_header
from queries.order import in_order, names_used

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from importlib.resources.abc import Traversable

    import duckdb

DEFINED = ("reference", "macros", "views", "shortcuts", "audits")
"""Folders whose files become relations or macros of the database."""

_STAGING = "_parsed"

_COMPARE = """
SELECT 'fault' AS severity, '{name}' AS fact, event_id,
    count(*) || ' row(s) of the table are not what the definition gives' AS detail
FROM (FROM {table} EXCEPT ALL FROM {staged}) GROUP BY event_id
UNION ALL
SELECT 'fault', '{name}', event_id, count(*) || ' row(s) are missing in the table'
FROM (FROM {staged} EXCEPT ALL FROM {table}) GROUP BY event_id
ORDER BY event_id
"""


@dataclass(frozen=True, slots=True)
class FactTable:
    """The statements of one fact table; see the ledger's protocol of the same shape."""

    name: str
    kinds: frozenset[str]
    digest: str
    stage: str
    create: str
    fill: str
    begin_gathering: str
    gather: str
    insert_gathered: str
    drop: str
    shadow: str
    compare: str


class Catalog:
    """All query files of a folder tree.

    Args:
        root: folder with ``facts``, ``views`` … in it; the ones of this package by default.
    """

    def __init__(self, root: Traversable | None = None) -> None:
        self._root = root or files("queries")
        self.queries: dict[str, dict[str, Query]] = {
            folder: dict(_load(self._root, folder)) for folder in ("facts", CALLS, *DEFINED)
        }

    @cached_property
    def digest(self) -> str:
        """sha256 over all definitions, and the data files beside them."""
        defined = (query for folder in DEFINED for query in self.queries[folder].values())
        return _digest([*(query.text for query in defined), *self._data_files()])

    @cached_property
    def parse(self) -> str:
        """Makes the TEMP table ``_parsed`` from the TEMP table ``_new``."""
        return f"CREATE OR REPLACE TEMP TABLE {_STAGING} AS\n{self._staging.sql}"

    @cached_property
    def facts(self) -> tuple[FactTable, ...]:
        """The fact tables, by name."""
        return tuple(
            _fact_table(query, self._staging)
            for name, query in self.queries["facts"].items()
            if name != _STAGING
        )

    def define(
        self,
        connection: duckdb.DuckDBPyConnection,
        *,
        temporary: bool,
        folders: Sequence[str] = DEFINED,
    ) -> None:
        """Create or replace reference tables, macros and views, in order of their dependencies.

        To define a view DuckDB binds all that it rests on, down to the tables. So that each is
        bound once, an empty TEMP table stands in for a view while the others are defined.

        With some folders only, what rests on the others is left out: a macro that reads a view has
        no place in a database without a ledger.
        """
        defined = [query for folder in folders for query in self.queries[folder].values()]
        with as_file(self._root) as root:
            connection.execute("SET VARIABLE reference_dir = $1", [str(root / "reference")])
            ordered = in_order(connection, defined)
            made = []
            for query in self._within_reach(connection, ordered, folders):
                for statement in definition(query, temporary=temporary):
                    connection.execute(statement)
                if query.folder == "views" and not query.called and not temporary:
                    connection.execute(stand_in(query))
                    made.append(query)
            for query in made:
                connection.execute(no_stand_in(query))

    def definer(
        self, connection: duckdb.DuckDBPyConnection, derive: Callable[[FactTable], None]
    ) -> Callable[[str], None]:
        """Define the reference tables now, and what a statement uses when called with its text."""
        self.define(connection, temporary=False, folders=("reference",))
        others = [query for folder in DEFINED[1:] for query in self.queries[folder].values()]
        known = {query.signature: query for query in others}
        return Definer(connection, known, {fact.name: partial(derive, fact) for fact in self.facts})

    def _within_reach(
        self,
        connection: duckdb.DuckDBPyConnection,
        ordered: Sequence[Query],
        folders: Sequence[str],
    ) -> Iterator[Query]:
        others = [folder for folder in ("facts", *DEFINED) if folder not in folders]
        if others == ["facts"]:
            yield from ordered
            return
        absent = {one.signature for folder in others for one in self.queries[folder].values()}
        for query in ordered:
            if names_used(connection, query) & absent:
                absent.add(query.signature)
            else:
                yield query

    def find(self, folder: str, name: str) -> Query | None:
        """The query of that name, given as in SQL or as on the command line."""
        return self.queries[folder].get(name.replace("-", "_"))

    def call(self, query: Query, given: Iterable[str] = ()) -> str:
        """Statement that asks a relation, with its given parameters bound by name."""
        if not query.called:
            return f"FROM {quoted(query.name)}"
        names = set(given)
        bound = (
            f"{query.argument(param.name)} := CAST(${param.name} AS {param.type})"
            for param in query.header.params
            if param.name in names
        )
        return f"FROM {quoted(query.name)}({', '.join(bound)})"

    @property
    def _staging(self) -> Query:
        return self.queries["facts"][_STAGING]

    def _data_files(self) -> Iterator[str]:
        folder = self._root / "reference"
        if folder.is_dir():
            for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
                if entry.name.endswith(".csv"):
                    yield entry.read_text(encoding="utf-8")


def _load(root: Traversable, folder: str) -> Iterator[tuple[str, Query]]:
    place = root / folder
    if not place.is_dir():
        return
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".sql"):
            name = entry.name.removesuffix(".sql")
            yield name, Query(name, folder, entry.read_text(encoding="utf-8"))


def _digest(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(hashlib.sha256(text.encode()).digest())
    return digest.hexdigest()


def _fact_table(query: Query, staging: Query) -> FactTable:
    table, staged = quoted(query.name), quoted(f"_staged_{query.name}")
    gathered = quoted(f"_gathered_{query.name}")
    header, sql = read_header(query.text, f"queries/{query.folder}/{query.name}.sql")
    return FactTable(
        name=query.name,
        kinds=header.kinds,
        digest=_digest([staging.text, query.text]),
        stage=f"CREATE OR REPLACE TEMP TABLE {staged} AS\n{sql}",
        create=f"CREATE TABLE IF NOT EXISTS {table} AS FROM (\n{sql}\n) LIMIT 0",
        fill=f"INSERT INTO {table} BY NAME\n{sql}",
        begin_gathering=f"CREATE OR REPLACE TEMP TABLE {gathered} AS FROM {staged} LIMIT 0",
        gather=f"INSERT INTO {gathered} FROM {staged}",
        insert_gathered=f"INSERT INTO {table} BY NAME FROM {gathered}",
        drop=f"DROP TABLE IF EXISTS {table}",
        shadow=f"CREATE OR REPLACE TEMP TABLE {table} AS FROM {staged}",
        compare=_COMPARE.format(name=query.name, table=table, staged=staged),
    )
