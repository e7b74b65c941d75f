"""One query file, and the statements that define it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from queries.header import Header, read_header

if TYPE_CHECKING:
    from collections.abc import Iterator

CALLS = "calls"
"""Folder of statements that are run as they stand, with their parameters bound by name."""


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


def quoted(name: str) -> str:
    """``name`` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def definition(query: Query, *, temporary: bool) -> Iterator[str]:
    """The statements that define a query file as the relation or macro that its folder asks for."""
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


def stand_in(view: Query) -> str:
    """An empty TEMP table in the place of a view: unqualified names find it first."""
    return f"CREATE TEMP TABLE {quoted(view.name)} AS FROM main.{quoted(view.name)} LIMIT 0"


def no_stand_in(view: Query) -> str:
    """Removes what `stand_in` made."""
    return f"DROP TABLE temp.{quoted(view.name)}"
