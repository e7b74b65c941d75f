"""Tampering, at random: one change of a ledger by somebody with a plain DuckDB."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

COLUMNS = (
    "event_id",
    "origin",
    "kind",
    "host",
    "git_sha",
    "diff_md5",
    "tree_md5",
    "binary_md5",
    "model_md5",
    "prompt_md5",
    "arch",
    "payload",
    "payload_sha256",
    "prev_hash",
    "hash",
)
NUMBERS = ("seq", "version", "recorded_us")


def mutate(con: duckdb.DuckDBPyConnection, seed: int) -> str:
    """Change something within the caller's transaction; tells what."""
    dice = random.Random(seed)
    changes = [dice.choice(_CHANGES) for _ in range(dice.choice((1, 1, 1, 2, 3)))]
    for change in changes:
        change(con, dice)
    return " + ".join(change.__name__ for change in changes)


def _some(con: duckdb.DuckDBPyConnection, dice: random.Random, table: str = "events") -> int | None:
    found = [row[0] for row in con.execute(f"SELECT rowid FROM {table} ORDER BY rowid").fetchall()]
    return dice.choice(found) if found else None


def _change_text(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    column = dice.choice(COLUMNS)
    table = dice.choice(("events", "events", "events", "conflicts"))
    row = _some(con, dice, table)
    old = con.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", [row]).fetchall()
    if not old:
        return
    text = old[0][0]
    new = dice.choice(("", "0", "x" * 32)) if not text else _altered(text, dice)
    con.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", [new, row])


def _altered(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text))
    how = dice.randrange(4)
    if how == 0:
        return text[:at] + text[at + 1 :]
    if how == 1:
        return text[:at] + dice.choice("0f{}:,ü") + text[at:]
    if how == 2:
        return text[:at] + chr((ord(text[at]) ^ 1) or 32).replace("\n", " ") + text[at + 1 :]
    return ""


def _change_number(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    column, by = dice.choice(NUMBERS), dice.choice((1, 2, 7))
    con.execute(f"UPDATE events SET {column} = {column} + {by} WHERE rowid = ?", [_some(con, dice)])


def _forget_provenance(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    column = dice.choice(("git_sha", "arch"))
    con.execute(f"UPDATE events SET {column} = NULL WHERE rowid = ?", [_some(con, dice)])


def _delete(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    con.execute("DELETE FROM events WHERE rowid = ?", [_some(con, dice)])


def _swap(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    one, other = _some(con, dice), _some(con, dice)
    con.execute(
        "UPDATE events SET seq = (SELECT sum(seq) FROM events e WHERE e.rowid IN ($1, $2)) - seq"
        " WHERE rowid IN ($1, $2) AND $1 <> $2",
        [one, other],
    )


def _double(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    shift = dice.choice(("seq", "seq + 1", "seq + 100"))
    con.execute(
        f"INSERT INTO events SELECT * REPLACE ({shift} AS seq) FROM events WHERE rowid = ?",
        [_some(con, dice)],
    )


def _fork(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    con.execute("INSERT INTO conflicts FROM events WHERE rowid = ?", [_some(con, dice)])


def _splice(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    first = con.execute("SELECT origin FROM events ORDER BY rowid LIMIT 1").fetchall()
    if first:
        con.execute(
            "UPDATE events SET origin = $1 WHERE rowid = $2", [first[0][0], _some(con, dice)]
        )


def _rehash_link(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    con.execute("UPDATE events SET prev_hash = repeat('0', 64) WHERE rowid = ?", [_some(con, dice)])


def _change_blob(con: duckdb.DuckDBPyConnection, dice: random.Random) -> None:
    row = _some(con, dice, "blobs")
    if dice.random() < 0.5:
        con.execute("DELETE FROM blobs WHERE rowid = ?", [row])
    else:
        con.execute("UPDATE blobs SET body = 'other'::BLOB WHERE rowid = ?", [row])


_CHANGES: tuple[Callable[[duckdb.DuckDBPyConnection, random.Random], None], ...] = (
    _change_text,
    _change_text,
    _change_text,
    _change_number,
    _forget_provenance,
    _delete,
    _swap,
    _double,
    _fork,
    _splice,
    _rehash_link,
    _change_blob,
)
