"""Make the project's relations and macros over an empty in-memory ledger, for tests only."""

import duckdb

from ledger import schema
from ledger.drain import bring_up_to_date
from queries.catalog import Catalog


def load_macros(con: duckdb.DuckDBPyConnection) -> None:
    """Create everything of the catalog; some macros read relations."""
    con.execute("SET enable_progress_bar = false")
    schema.migrate(con)
    bring_up_to_date(con, Catalog())
