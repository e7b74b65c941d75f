"""The migrations runner: base tables come from numbered files that are applied once, in order."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ledger.errors import LedgerDamaged, LedgerTooNew
from ledger.statements import first, statement

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered file of base tables."""

    number: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        """sha256 of the text; a landed migration never changes."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


@cache
def migrations() -> tuple[Migration, ...]:
    """All migrations this version knows, in order."""
    found = []
    for entry in files("migrations").iterdir():
        number, _, rest = entry.name.partition("_")
        if entry.name.endswith(".sql") and number.isdigit():
            name = rest.removesuffix(".sql")
            found.append(Migration(int(number), name, entry.read_text(encoding="utf-8")))
    return tuple(sorted(found, key=lambda migration: migration.number))


def applied(connection: duckdb.DuckDBPyConnection) -> dict[int, str]:
    """Numbers and digests of the migrations the file has; empty for a new file."""
    if not first(connection, "has_schema"):
        return {}
    return dict(connection.execute(statement("migrations_applied")).fetchall())


def check(connection: duckdb.DuckDBPyConnection) -> None:
    """Make sure that this version understands the file.

    Raises:
        LedgerTooNew: it has migrations that this version doesn't know.
        LedgerDamaged: it is no ledger, or its migrations are not the ones that landed.
    """
    have = applied(connection)
    known = {migration.number: migration.digest for migration in migrations()}
    newer = sorted(set(have) - set(known))
    if newer:
        raise LedgerTooNew(
            f"the ledger has schema {newer[-1]}, this version knows {max(known)}",
            hint="upgrade kernel-atlas on this machine",
        )
    if not have:
        raise LedgerDamaged(
            "the file is a database but no ledger",
            hint="choose another file with --ledger, or make one with `atlas init PATH`",
        )
    edited = [number for number, digest in have.items() if known[number] != digest]
    if edited:
        raise LedgerDamaged(
            f"migration {edited[0]} of this ledger differs from the one that landed",
            hint="reinstall kernel-atlas; if that doesn't help, restore the ledger from a copy",
        )


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Apply what the file lacks, each migration in a transaction of its own.

    Raises:
        LedgerTooNew: the file has migrations that this version doesn't know.
        LedgerDamaged: the file is a database of something else.
    """
    have = applied(connection)
    if have or first(connection, "any_table"):
        check(connection)
    for migration in migrations():
        if migration.number not in have:
            connection.begin()
            connection.execute(statement("make_schema_table"))
            connection.execute(migration.sql)
            connection.execute(
                statement("migration_done"),
                [migration.number, migration.name, migration.digest, time.time_ns() // 1000],
            )
            connection.commit()
