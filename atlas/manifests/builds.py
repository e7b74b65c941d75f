"""What people name as a build → its manifest: objects, folders, manifest files, the ledger."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import orjson

from atlas.ask import ask, find_one
from atlas.errors import BadInput, NotFound
from atlas.ingest.documents import document_kind
from atlas.isa.scan import ScanOptions
from atlas.manifests.isa import inspect
from ledger import canonical

if TYPE_CHECKING:
    from ledger.observer import Observer
    from ledger.reader import Reader
    from ledger.store import Ledger
    from queries.catalog import Catalog

_JSON_STARTS = (b"{", b"[")


class Builds:
    """Finds builds; opens the ledger only when one of them is no path.

    Args:
        ledger: where rows and manifests are looked up.
        catalog: its queries.
        observer: told of progress.
    """

    def __init__(self, ledger: Ledger, catalog: Catalog, observer: Observer) -> None:
        self._ledger = ledger
        self._catalog = catalog
        self._observer = observer
        self._open = ExitStack()
        self._reader: Reader | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def manifest(self, name: str) -> dict[str, Any]:
        """The manifest of a build.

        Raises:
            NotFound: nothing of that name, or it holds no kernels.
            BadInput: a file that is neither a code object nor a manifest.
            BadUsage: the beginning of an id fits several.
        """
        path = Path(name)
        if not path.exists():
            return self._recorded(name)
        if path.is_file() and _is_json(path):
            return read_manifest(path)
        found = inspect([path], ScanOptions(), {}, self._observer)
        if not any(image["kernels"] for image in found.manifest["objects"]):
            told = [f"{one.code}: {one.message}" for one in found.inspection.findings]
            raise NotFound(f"{name} holds no kernels", hint="; ".join(told[:3]))
        manifest: dict[str, Any] = found.manifest
        return manifest

    def _recorded(self, name: str) -> dict[str, Any]:
        if self._reader is None:
            self._reader = self._open.enter_context(self._ledger.reader())
        one = find_one(self._reader, self._catalog, name)
        what = {"row_id": one["id"]} if one["is_row"] else {"event_id": one["id"]}
        rows = ask(self._reader, self._catalog, "image_texts", **what).dicts()
        if not rows:
            raise NotFound(
                f"{name}: no code object of it was inspected",
                hint="`atlas isa FOLDER`, or name an event of kind isa_manifest",
            )
        return {
            "objects": [
                {**orjson.loads(row["told"]), "path": row["path"], "md5": row["md5"]}
                for row in rows
            ]
        }


def read_manifest(path: Path) -> dict[str, Any]:
    """An ISA manifest from a file.

    Raises:
        BadInput: it is none.
    """
    try:
        document, _ = canonical.loads(path.read_bytes())
    except (OSError, canonical.NotJson) as error:
        raise BadInput(f"{path}: {error}", hint="name an ISA manifest") from error
    if document_kind(document) != "ISA manifest" or not isinstance(document, dict):
        raise BadInput(f"{path}: no ISA manifest", hint="`atlas isa PATH --format json` makes one")
    return {**document, "objects": [_sound(one) for one in _objects(document, "objects")]}


def _sound(image: dict[str, Any]) -> dict[str, Any]:
    """An image of another producer, with nothing in it that is not of the form."""
    kernels: list[dict[str, Any]] = []
    for kernel in _objects(image, "kernels"):
        summary = kernel.get("instruction_summary")
        counts = summary.get("category_counts") if isinstance(summary, dict) else None
        kernels.append(
            {
                **{key: value for key, value in kernel.items() if isinstance(value, str | int)},
                "instruction_summary": summary if isinstance(counts, dict) else {},
            }
        )
    return {**image, "kernels": kernels}


def _objects(holder: dict[str, Any], name: str) -> list[dict[str, Any]]:
    values = holder.get(name)
    return [one for one in values if isinstance(one, dict)] if isinstance(values, list) else []


def _is_json(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip()[:1] in _JSON_STARTS
    except OSError:
        return False
