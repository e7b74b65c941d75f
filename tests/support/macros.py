"""Make the project's reference tables and macros in a bare in-memory database, for tests only."""

import re
from pathlib import Path

import duckdb

QUERIES = Path(__file__).resolve().parents[2] / "queries"
PARAM = re.compile(r"^-- param: (\w+) (\S+)(?: = ('[^']*'|\S+))?", re.MULTILINE)


def load_macros(con: duckdb.DuckDBPyConnection) -> None:
    """Create every reference table and macro; macros wait until those they use exist."""
    con.execute("SET enable_progress_bar = false")
    con.execute("SET VARIABLE reference_dir = ?", [str(QUERIES / "reference")])
    for path in sorted((QUERIES / "reference").glob("*.sql")):
        con.execute(f"CREATE TABLE {path.stem} AS {path.read_text()}")
    waiting = sorted((QUERIES / "macros").glob("*.sql"))
    while waiting:
        stuck = [path for path in waiting if not _created(con, path)]
        if len(stuck) == len(waiting):
            raise AssertionError(f"macros that never bind: {[path.stem for path in stuck]}")
        waiting = stuck


def macro_statement(path: Path) -> str:
    """Return the CREATE MACRO statement of one file."""
    text = path.read_text()
    params = [
        name if default is None else f"{name} := {default}"
        for name, _, default in (
            (name, kind, default or None) for name, kind, default in PARAM.findall(text)
        )
    ]
    body = text
    if not re.search(r"^FROM\b", text, re.MULTILINE):
        # Without a FROM the value is a plain expression: no correlated subquery per call.
        body = re.sub(r"^SELECT\b", "", text, count=1, flags=re.MULTILINE)
    return f"CREATE MACRO {path.stem}({', '.join(params)}) AS ({body})"


def _created(con: duckdb.DuckDBPyConnection, path: Path) -> bool:
    try:
        con.execute(macro_statement(path))
    except duckdb.CatalogException as missing:
        if "does not exist" in str(missing):
            return False
        raise
    return True
