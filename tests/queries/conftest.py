from collections.abc import Iterator

import duckdb
import pytest
from support.macros import load_macros


@pytest.fixture(scope="session")
def macros() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        load_macros(con)
        yield con
