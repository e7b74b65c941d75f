"""What people type to mean a row: an id prefix, ``latest``, or a selection ``k=v,…``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.ask import ask, find_one
from atlas.errors import BadUsage, NotFound

if TYPE_CHECKING:
    from ledger.reader import Reader
    from queries.catalog import Catalog

LATEST = "latest"
_RELATION = "selected_rows"
_INTERNAL = frozenset({"row_id", "event_id", "env", "limit"})
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True, slots=True)
class Selected:
    """Rows that a text stands for.

    Attributes:
        text: what was typed.
        rows: ``{row_id, event_id, status, why, phase, metric, value, contested, recorded_us}``,
            the newest first.
        event_id: the event, when one was named that holds no rows.
        is_selection: several rows were asked for, rather than one that stands for its series.
    """

    text: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    event_id: str | None = None
    is_selection: bool = False


def find_row(reader: Reader, catalog: Catalog, text: str = LATEST) -> dict[str, Any]:
    """The one row that ``text`` means; of an event its decode row, of a selection the newest.

    Raises:
        NotFound: there is none.
        BadUsage: the text is ambiguous, or no selection.
    """
    found = select(reader, catalog, text)
    if not found.rows:
        raise NotFound(
            f"event {found.event_id} holds no rows", hint="`atlas query rows` lists rows"
        )
    return found.rows[0]


def select(reader: Reader, catalog: Catalog, text: str) -> Selected:
    """All rows that ``text`` means: one for an id or ``latest``, all that fit for a selection.

    Raises:
        NotFound: there is none.
        BadUsage: the id is ambiguous, or the selection names an unknown key.
    """
    if "=" in text:
        return Selected(text, _fitting(reader, catalog, text, limit=None), is_selection=True)
    if text == LATEST:
        return Selected(text, _fitting(reader, catalog, "", limit=1))
    one = find_one(reader, catalog, text)
    key = "row_id" if one["is_row"] else "event_id"
    rows = ask(reader, catalog, _RELATION, **{key: one["id"], "limit": 1}).dicts()
    return Selected(text, rows, event_id=one["event_id"])


def parse_selection(catalog: Catalog, text: str) -> dict[str, Any]:
    """The parameters that a selection ``k=v,…`` sets; an upper-case key is a variable of the run.

    Raises:
        BadUsage: a part is no ``k=v``, a key is unknown, or stands there twice.
    """
    keys = [param.name for param in _params(catalog)]
    given: dict[str, Any] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        key, equals, value = part.partition("=")
        if not equals:
            raise BadUsage(f"{part!r} is no k=v", hint="a selection is k=v,k=v")
        if _VARIABLE.fullmatch(key):
            given.setdefault("env", []).append(part)
        elif key not in keys:
            raise BadUsage(f"no key {key!r} to select by", hint=f"keys: {', '.join(keys)}, or NAME")
        elif key in given:
            raise BadUsage(f"{key} stands twice in {text!r}", hint="all parts must hold at once")
        else:
            given[key] = value
    return given


def _params(catalog: Catalog) -> list[Any]:
    header = catalog.queries["views"][_RELATION].header
    return [param for param in header.params if param.name not in _INTERNAL]


def _fitting(
    reader: Reader, catalog: Catalog, text: str, *, limit: int | None
) -> list[dict[str, Any]]:
    rows = ask(reader, catalog, _RELATION, **parse_selection(catalog, text), limit=limit).dicts()
    if not rows:
        raise NotFound(
            f"no row fits {text}" if text else "the ledger holds no rows",
            hint="`atlas query rows` lists them",
        )
    return rows
