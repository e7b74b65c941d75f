"""The row a task is cut from: of the ledger, or of files that are read and not recorded."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.errors import BadInput
from atlas.fit import from_files as files_read
from atlas.json_file import read_object
from atlas.select import find_row
from ledger import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from atlas.evals.tools import Tools
    from ledger.reader import Reader
    from queries.catalog import Catalog


@dataclass(frozen=True, slots=True)
class RowFiles:
    """The file form: a file of rows, which of them, and manifests to read beside it.

    Attributes:
        row: v0 rows, as JSON or JSONL, or a log.
        index: which row of the file, from 0; negative from the end.
        isa: an ISA manifest, code object or folder of them; ``dispatch``: a dispatch manifest.
    """

    row: Path
    index: int = -1
    isa: Path | None = None
    dispatch: Path | None = None


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A row with everything that is asked about it.

    Attributes:
        reader: where relations can be asked about it.
        catalog: those relations.
        known: typed fields, see relation ``task_row``.
        row: the v0 row itself.
        manifests: ``isa`` and ``dispatch`` documents that were given or stand in the row.
    """

    reader: Reader
    catalog: Catalog
    known: dict[str, Any]
    row: dict[str, Any]
    manifests: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def row_id(self) -> str:
        """Its id."""
        return str(self.known["row_id"])

    def part(self, name: str) -> dict[str, Any]:
        """A member of the row that should be an object; empty when it is none."""
        return object_of(self.row, name)


@contextmanager
def row_of_ledger(tools: Tools, text: str) -> Iterator[SourceRow]:
    """The row that an id prefix, ``latest`` or a selection means.

    Raises:
        NotFound: there is none.
        BadUsage: the text is ambiguous, or no selection.
    """
    with tools.ledger.reader() as reader:
        found = find_row(reader, tools.catalog, text)
        yield _source_row(reader, tools.catalog, found["row_id"], {})


@contextmanager
def row_of_file(catalog: Catalog, files: RowFiles) -> Iterator[SourceRow]:
    """A row of a file, through the same relations in an in-memory ledger; nothing is appended.

    Raises:
        BadInput: a file can't be read, or has no such row.
    """
    given = {
        name: read_object(path, "a manifest is a JSON object")
        for name, path in (("isa", files.isa), ("dispatch", files.dispatch))
        if path is not None and not files_read.holds_objects(path)
    }
    read = files_read.RowFiles(files.row, files.index, files.isa, files.dispatch)
    with files_read.reading_files(catalog, read) as (reader, row_id):
        yield _source_row(reader, catalog, row_id, given)


def object_of(document: dict[str, Any], name: str) -> dict[str, Any]:
    """A member that should be an object; empty when it is none."""
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def _source_row(
    reader: Reader, catalog: Catalog, row_id: str, given: dict[str, dict[str, Any]]
) -> SourceRow:
    found = ask(reader, catalog, "task_row", row_id=row_id).dicts()
    if not found:
        raise BadInput("the row is an error record, no measurement", hint="see --row-index")
    known = found[0]
    payload = canonical.loads(known.pop("payload").encode())[0]
    row = payload["rows"][known["ordinal"]]["row"]
    artifacts = object_of(row, "artifacts")
    inline = {name: object_of(artifacts, name) for name in ("isa", "dispatch")}
    manifests = {
        name: given.get(name) or object_of(told, "manifest") or told
        for name, told in inline.items()
    }
    return SourceRow(reader, catalog, known, row, manifests)
