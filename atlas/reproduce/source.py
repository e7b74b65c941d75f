"""The row that is to be measured again, out of the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atlas.ask import ask
from atlas.reproduce.needs import Measured
from atlas.select import find_row
from ledger import canonical

if TYPE_CHECKING:
    from pathlib import Path

    from ledger.reader import Reader
    from queries.catalog import Catalog


def measured_row(reader: Reader, catalog: Catalog, text: str, cwd: Path) -> Measured:
    """The row that an id prefix, ``latest`` or a selection means.

    Raises:
        NotFound: there is none.
        BadUsage: the text is ambiguous, or no selection.
    """
    found = find_row(reader, catalog, text)
    known = ask(reader, catalog, "task_row", row_id=found["row_id"]).dicts()[0]
    payload = canonical.loads(known["payload"].encode())[0]
    context = payload.get("context")
    row = payload["rows"][known["ordinal"]]["row"]
    return Measured(known["row_id"], row, context if isinstance(context, dict) else {}, cwd)
