"""The ledger's own SQL statements, loaded by name from ``ledger/sql``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def statement(name: str) -> str:
    """Text of ``ledger/sql/NAME.sql``."""
    return (files("ledger") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def quoted(name: str) -> str:
    """``name`` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
