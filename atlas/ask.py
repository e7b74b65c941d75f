"""Asking the catalog's relations by name, and finding things by what people type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.errors import BadUsage, NotFound

if TYPE_CHECKING:
    from ledger.reader import Reader, Result
    from queries.catalog import Catalog


def ask(reader: Reader, catalog: Catalog, name: str, **given: Any) -> Result:
    """Rows of the relation ``name`` of the catalog; parameters that are None keep their default."""
    for folder in ("views", "shortcuts", "audits"):
        query = catalog.find(folder, name)
        if query is not None:
            known = {key: value for key, value in given.items() if value is not None}
            return reader.ask(catalog.call(query, known), known)
    raise LookupError(f"no relation {name} in the catalog")


def find_one(reader: Reader, catalog: Catalog, prefix: str) -> dict[str, Any]:
    """The event or row whose id starts with ``prefix``.

    Returns:
        ``{id, is_row, event_id, ordinal}``.

    Raises:
        NotFound: there is none.
        BadUsage: there are several; the candidates are named.
    """
    found = ask(reader, catalog, "ids_like", prefix=prefix.lower()).dicts()
    exact = [one for one in found if one["id"] == prefix.lower()]
    if len(found) == 1 or exact:
        return (exact or found)[0]
    if not found:
        raise NotFound(f"no event or row starts with {prefix!r}", hint="`atlas log` lists events")
    names = ", ".join(one["id"] for one in found[:8])
    raise BadUsage(f"{prefix!r} is ambiguous: {names}", hint="give more digits")
