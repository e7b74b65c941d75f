"""The catalog: loads the query files and turns each into the statement that its folder asks for.

This is the only place where SQL text is composed. Files are read when the catalog is made (a few
milliseconds); their order of definition is found only when something has to be defined.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from queries.header import Header, read_header
from queries.order import OrderError, in_order, names_in, names_used

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from importlib.resources.abc import Traversable

    import duckdb

DEFINED = ("reference", "macros", "views", "shortcuts", "audits")
"""Folders whose files become relations or macros of the database."""

CALLS = "calls"
"""Folder of statements that are run as they stand, with their parameters bound by name."""

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
class Query:
    """One query file.

    Attributes:
        name: stem of the file: the name of the relation or macro.
        folder: what it is: facts, reference, macros, views, shortcuts, audits or calls.
        text: the whole file.
    """

    name: str
    folder: str
    text: str

    @property
    def called(self) -> bool:
        """It is defined as a macro: every shortcut and audit, and whatever has parameters."""
        return self.folder in ("macros", "shortcuts", "audits") or bool(self.header.params)

    @property
    def signature(self) -> str:
        """How SQL refers to it; relations and macros may share a name."""
        return f"{self.name.lower()}()" if self.called else self.name.lower()

    @property
    def header(self) -> Header:
        """What the file says about itself."""
        return read_header(self.text, f"queries/{self.folder}/{self.name}.sql")[0]

    @property
    def sql(self) -> str:
        """The bare statement; ``$name`` of a parameter stands there as the macro's ``_name``.

        The underscore keeps a parameter from being taken for a column of the same name.
        """
        header, sql = read_header(self.text, f"queries/{self.folder}/{self.name}.sql")
        for param in header.params:
            sql = re.sub(rf"\${param.name}\b", self.argument(param.name), sql)
        return sql

    def argument(self, name: str) -> str:
        """Name of a parameter within the macro."""
        if self.folder == CALLS:
            return f"${name}"
        return name if self.folder == "macros" else f"_{name}"


@dataclass(frozen=True, slots=True)
class FactTable:
    """The statements of one fact table; see the ledger's protocol of the same shape."""

    name: str
    digest: str
    stage: str
    create: str
    insert: str
    begin_gathering: str
    gather: str
    insert_gathered: str
    drop: str
    shadow: str
    compare: str


def quoted(name: str) -> str:
    """``name`` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


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

        With some folders only, what rests on the others is left out: a macro that reads a view has
        no place in a database without a ledger.
        """
        defined = [query for folder in folders for query in self.queries[folder].values()]
        with as_file(self._root) as root:
            connection.execute("SET VARIABLE reference_dir = $1", [str(root / "reference")])
            for query in self._within_reach(connection, in_order(connection, defined), folders):
                for statement in _definition(query, temporary=temporary):
                    connection.execute(statement)

    def definer(self, connection: duckdb.DuckDBPyConnection) -> Callable[[str], None]:
        """Define the reference tables now, and what a statement uses when called with its text.

        Defining everything takes a second; a reader of a few files asks two or three relations.
        """
        self.define(connection, temporary=False, folders=("reference",))
        defined = {query.signature for query in self.queries["reference"].values()}
        others = [query for folder in DEFINED for query in self.queries[folder].values()]
        known = {query.signature: query for query in others}

        def define(names: Iterable[str]) -> None:
            for name in names:
                if name in known and name not in defined:
                    defined.add(name)
                    define(names_used(connection, known[name]))
                    for statement in _definition(known[name], temporary=False):
                        connection.execute(statement)

        def define_for(sql: str) -> None:
            try:
                define(names_in(connection, sql))
            except OrderError:
                return  # no SELECT: it uses nothing that is defined here

        return define_for

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
    return FactTable(
        name=query.name,
        digest=_digest([staging.text, query.text]),
        stage=f"CREATE OR REPLACE TEMP TABLE {staged} AS\n{query.sql}",
        create=f"CREATE TABLE IF NOT EXISTS {table} AS FROM {staged} LIMIT 0",
        insert=f"INSERT INTO {table} BY NAME FROM {staged}",
        begin_gathering=f"CREATE OR REPLACE TEMP TABLE {gathered} AS FROM {staged} LIMIT 0",
        gather=f"INSERT INTO {gathered} FROM {staged}",
        insert_gathered=f"INSERT INTO {table} BY NAME FROM {gathered}",
        drop=f"DROP TABLE IF EXISTS {table}",
        shadow=f"CREATE OR REPLACE TEMP TABLE {table} AS FROM {staged}",
        compare=_COMPARE.format(name=query.name, table=table, staged=staged),
    )


def _definition(query: Query, *, temporary: bool) -> Iterator[str]:
    name, header, sql = quoted(query.name), query.header, query.sql
    temp = "TEMP " if temporary else ""
    comment = "'" + header.summary.replace("'", "''") + "'"
    arguments = ", ".join(
        _argument(query.argument(param.name), param.default) for param in header.params
    )
    if query.folder == "macros":
        yield f"CREATE OR REPLACE {temp}MACRO {name}({arguments}) AS ({_expression(sql)})"
        kind = "MACRO"
    elif query.called:
        yield f"CREATE OR REPLACE {temp}MACRO {name}({arguments}) AS TABLE {sql}"
        kind = "MACRO TABLE"
    else:
        kind = "TABLE" if query.folder == "reference" else "VIEW"
        yield f"CREATE OR REPLACE {temp}{kind} {name} AS {sql}"
    if not temporary:
        yield f"COMMENT ON {kind} {name} IS {comment}"


def _expression(sql: str) -> str:
    """A SELECT without FROM as a plain expression: a subquery would cost planning at each call."""
    plain = not re.search(r"^\s*FROM\b", sql, re.MULTILINE | re.IGNORECASE)
    return re.sub(r"\A\s*SELECT\b", "", sql, flags=re.IGNORECASE) if plain else sql


def _argument(name: str, default: str | None) -> str:
    return name if default is None else f"{name} := {default}"
