from collections.abc import Iterator

import duckdb
import pytest
from support.macros import load_macros
from support.sample import sample_ledger

from ledger.reader import Reader
from ledger.store import passing
from queries.catalog import Catalog


@pytest.fixture(scope="session")
def macros() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        load_macros(con)
        yield con


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """A reader of a ledger with something of everything."""
    ledger, _ = sample_ledger(tmp_path_factory.mktemp("sample") / "atlas.duckdb")
    with ledger.reader() as reader:
        yield reader


@pytest.fixture(scope="session")
def empty() -> Iterator[Reader]:
    """A reader of a ledger without any event."""
    with passing(Catalog(), []) as reader:
        yield reader
