"""A toy world for the ledger's tests: things with a size and a colour, and a ledger of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ledger.envelope import Draft
from ledger.store import Ledger
from queries.catalog import Catalog

if TYPE_CHECKING:
    import duckdb

CATALOG_FOLDER = Path(__file__).resolve().parents[1] / "data" / "toy_catalog"
EPOCH_US = 1_700_000_000_000_000


class Ears:
    """An observer that keeps what it hears."""

    def __init__(self) -> None:
        self.remarks: list[str] = []

    def remark(self, text: str) -> None:
        self.remarks.append(text)

    def begin(self, label: str, total: int | None) -> None:
        self.label, self.total, self.steps = label, total, 0

    def advance(self, steps: int = 1) -> None:
        self.steps += steps

    def end(self) -> None:
        self.label = ""


def toy_catalog() -> Catalog:
    return Catalog(CATALOG_FOLDER)


def toy_ledger(folder: Path, observer: Any = None) -> Ledger:
    path = folder / "toy.duckdb"
    return (
        Ledger(path, toy_catalog()) if observer is None else Ledger(path, toy_catalog(), observer)
    )


def thing(number: int, **more: Any) -> Draft:
    """A draft of its own time and payload; ``more`` goes into the payload."""
    return Draft(
        kind="collection",
        payload={"size": number, **more},
        host="toyhost",
        provenance={"git_sha": "ab12cd3", "arch": "gfx1100"},
        recorded_us=EPOCH_US + number,
    )


def imported(number: int, **more: Any) -> Draft:
    """A draft that names the piece of the file it comes from."""
    source = {"file_sha256": "f" * 64, "ordinal": number, "adapter": "toy", "adapter_version": 1}
    return Draft("ingest", {"source": source, **more}, "toyhost", {}, EPOCH_US + number)


def plainly(path: Path, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """The database as any DuckDB program opens it."""
    import duckdb

    return duckdb.connect(str(path), read_only=read_only)


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with plainly(path, read_only=True) as con:
        return con.execute(sql).fetchall()
