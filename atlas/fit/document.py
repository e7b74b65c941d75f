"""The fit view of a row as one document, the same for every renderer and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.errors import NotFound
from atlas.render.values import plain

if TYPE_CHECKING:
    from ledger.reader import Reader
    from queries.catalog import Catalog

SCHEMA = "hipfire.kernel_atlas.fit.v1"
RULE = "This is measured evidence, not promotion proof."
HEURISTIC = "The fit read is a heuristic over instruction counts: no occupancy, no roofline."
PLACES = "Sources and dispatch lines are places to look; they prove no branch."


def fit_document(reader: Reader, catalog: Catalog, row_id: str) -> dict[str, Any]:
    """The fit view of one row: ``{schema, row{}, fit{}, notes[]}``.

    Raises:
        NotFound: there is no such row among the measurements.
    """
    header = ask(reader, catalog, "fit_header", row_id=row_id).dicts()
    fit = ask(reader, catalog, "fit_of", row_id=row_id).dicts()
    if not header or not fit:
        raise NotFound(f"{row_id} is no measurement", hint="`atlas query rows` lists them")
    return {
        "schema": SCHEMA,
        "row": plain(header[0]),
        "fit": plain(fit[0]),
        "notes": [RULE, HEURISTIC, PLACES],
    }
