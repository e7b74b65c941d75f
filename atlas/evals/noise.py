"""The noise of a host: how far equal programs lie apart there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atlas.ask import ask

if TYPE_CHECKING:
    from atlas.evals.side import Side
    from ledger.reader import Reader
    from queries.catalog import Catalog


def noise_floor(reader: Reader, catalog: Catalog, side: Side) -> float | None:
    """The host's A/A noise for a metric: sd of pair log ratios; None when never measured."""
    found = ask(reader, catalog, "aa_noise").dicts()
    for one in found:
        device = {n: one[n] for n in ("arch", "device_index", "visible") if one[n] is not None}
        same = (one["host"], one["metric"], device) == (side.host, side.metric, side.device or {})
        if same:
            return float(one["sd_pair"])
    return None
