"""Earlier tries from files: tasks, results and their ledger lines, read and not recorded."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from atlas.ask import ask
from atlas.errors import BadInput, BadUsage
from atlas.ingest.recognise import recognise
from atlas.ingest.source import open_source
from atlas.render.values import plain
from atlas.where import FOLDER
from ledger.passing import passing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ledger.envelope import Draft
    from ledger.observer import Observer
    from queries.catalog import Catalog

TASKS = FOLDER / "tasks"
"""Where tasks and their results lie by default."""

_NAMES = ("task*.json", "result.json", "ledger.jsonl")


def read_history(catalog: Catalog, paths: Sequence[Path], observer: Observer) -> str | None:
    """Tries in files and folders, as the relation ``suggestions`` takes them.

    The files are loaded into a ledger in memory, so that the same facts and views read them. By
    default the folder of tasks below the working directory is looked at, if it is there.

    Args:
        catalog: the queries.
        paths: files, or folders that are searched for ``task*.json``, ``result.json`` and
            ``ledger.jsonl``.
        observer: hears of files that can't be read; the others count.

    Returns:
        A JSON array of rows of the view ``tries``; None when there are no files.

    Raises:
        BadUsage: a named path is not there.
    """
    drafts: list[Draft] = []
    for path in _files(list(paths) or [one for one in (TASKS,) if one.is_dir()]):
        try:
            drafts += _drafts(path)
        except BadInput as error:
            observer.remark(f"history: {error}")
    if not drafts:
        return None
    with passing(catalog, drafts) as reader:
        return json.dumps(plain(ask(reader, catalog, "tries").dicts()))


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            found = {file for name in _NAMES for file in path.rglob(name) if file.is_file()}
            yield from sorted(found)
        elif path.is_file():
            yield path
        else:
            raise BadUsage(f"no history at {path}", hint="name a file or a folder of tasks")


def _drafts(path: Path) -> list[Draft]:
    _, pieces = recognise(open_source(path, str(path)))
    return [piece.draft for piece in pieces if piece.draft is not None]
