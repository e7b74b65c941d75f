"""The noise of a host: how far equal programs lie apart there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.ask import ask

if TYPE_CHECKING:
    from atlas.evals.side import Side
    from ledger.reader import Reader
    from queries.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviations of logarithms from A/A runs; None when the host was never measured.

    Attributes:
        run: of a single run.
        pair: of a pair's log ratio.
    """

    run: float | None = None
    pair: float | None = None

    def floor(self, order: str | None) -> float | None:
        """The floor in units of the estimate: of runs, of pairs, or of blocks of two pairs."""
        if order is None:
            return self.run
        if self.pair is None or order == "ab":
            return self.pair
        return self.pair / 2**0.5


def noise_of(reader: Reader, catalog: Catalog, side: Side) -> Noise:
    """The A/A noise of a side's host and device for its metric."""
    device = side.device or {}
    wanted = (side.host, device.get("arch"), device.get("device_index"), side.metric)
    for one in ask(reader, catalog, "aa_noise").dicts():
        if (one["host"], one["arch"], one["device_index"], one["metric"]) == wanted:
            return Noise(one["s"], one["s_paired"])
    return Noise()
