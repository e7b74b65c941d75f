"""From what people name to what can be merged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ledger.errors import SourceMissing
from ledger.offers import LedgerFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ledger.offers import Offer
    from ledger.place import Place

_HINT = "name a ledger, exported segments, a JSONL export, or a folder of them"


def find_offers(paths: Sequence[Path | Offer], own: Place) -> list[Offer]:
    """What the paths name: a ledger file, canonical JSONL, segments, or a folder of these.

    Args:
        paths: at least one; what is an offer already stays one.
        own: the ledger that merges; its own file is never opened here, since closing it again would
            drop the lock of whoever writes it in this process.

    Raises:
        SourceMissing: a path is not there, names nothing that can be merged, or is ``own``.
    """
    found: list[Offer] = []
    for path in paths:
        found.extend(_offers_at(path, own) if isinstance(path, Path) else [path])
    return found


def _offers_at(path: Path, own: Place) -> Iterator[Offer]:
    try:
        if own.file.exists() and path.samefile(own.file):
            raise SourceMissing(f"{path} is this ledger itself", hint="name another one")
        found = list(_in_folder(path, own)) if path.is_dir() else [_of_file(path)]
    except OSError as error:
        raise SourceMissing(f"{path} can't be read: {error.strerror}", hint=_HINT) from error
    if not found:
        raise SourceMissing(f"{path} holds nothing that can be merged", hint=_HINT)
    yield from found


def _in_folder(folder: Path, own: Place) -> Iterator[Offer]:
    if any(folder.glob("origin=*")):
        from ledger.segment_offer import Segments
        from ledger.shelf import Shelf

        yield Segments(Shelf(str(folder)))
    for path in sorted([*folder.glob("*.duckdb"), *folder.glob("*.jsonl")]):
        if not (own.file.exists() and path.samefile(own.file)):
            yield _of_file(path)


def _of_file(path: Path) -> Offer:
    with path.open("rb") as file:
        head = file.read(12)
    if head[8:12] == b"DUCK":
        return LedgerFile(path)
    if head[:1] == b"{":
        from ledger.portable import JsonLines

        return JsonLines(path)
    raise SourceMissing(f"{path} is nothing that can be merged", hint=_HINT)
