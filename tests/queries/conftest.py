from collections.abc import Iterator

import duckdb
import pytest
from support.macros import load_macros
from support.sample import sample_ledger

from ledger.passing import passing
from ledger.reader import Reader
from ledger.store import Ledger
from queries.catalog import Catalog


@pytest.fixture(scope="session")
def macros() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        load_macros(con)
        yield con


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ledger, dict[str, str]]:
    """A ledger with something of everything, and ids worth asking about."""
    return sample_ledger(tmp_path_factory.mktemp("sample") / "atlas.duckdb")


@pytest.fixture(scope="session")
def ids(made: tuple[Ledger, dict[str, str]]) -> dict[str, str]:
    """Ids of the sample worth asking about."""
    return made[1]


@pytest.fixture(scope="session")
def sample(made: tuple[Ledger, dict[str, str]]) -> Iterator[Reader]:
    """A reader of that ledger."""
    with made[0].reader() as reader:
        yield reader


@pytest.fixture(scope="session")
def empty() -> Iterator[Reader]:
    """A reader of a ledger without any event."""
    with passing(Catalog(), []) as reader:
        yield reader
