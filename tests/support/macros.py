"""Make the project's reference tables and macros in a bare in-memory database, for tests only."""

import duckdb

from queries.catalog import Catalog


def load_macros(con: duckdb.DuckDBPyConnection) -> None:
    """Create every reference table and macro of the catalog."""
    con.execute("SET enable_progress_bar = false")
    Catalog().define(con, temporary=False, folders=("reference", "macros"))
