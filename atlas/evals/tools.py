"""What an experiment works with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ledger.observer import Observer
    from ledger.store import Ledger
    from queries.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Tools:
    """The ledger, its queries, and who is told.

    Attributes:
        ledger: made when it is not there: earlier runs and baselines are asked for in it, and a
            place that can't be written is better known before minutes of measuring than after.
        catalog: the queries.
        observer: remarks and progress.
    """

    ledger: Ledger
    catalog: Catalog
    observer: Observer

    def __post_init__(self) -> None:
        if not self.ledger.place.file.exists():
            self.ledger.create()
