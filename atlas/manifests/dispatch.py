"""A source tree → the event that says where it mentions kernels."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from atlas.ask import ask
from atlas.dispatch.names import KernelName
from atlas.dispatch.scan import DEFAULT_REF_LIMIT, scan_tree
from ledger.envelope import Draft
from ledger.observer import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ledger.observer import Observer
    from ledger.reader import Reader
    from queries.catalog import Catalog

__all__ = ["DEFAULT_REF_LIMIT", "dispatch_draft", "ops_of", "scan"]


def scan(
    root: Path,
    names: Sequence[str],
    *,
    arch: str | None,
    ref_limit: int = DEFAULT_REF_LIMIT,
    ops: dict[str, Any] | None = None,
    observer: Observer = SILENT,
) -> dict[str, Any]:
    """Search a tree for kernels and give the manifest people exchange.

    Args:
        root: the tree.
        names: kernels, hottest first.
        arch: architecture whose files rank first.
        ref_limit: at most so many files and lines for each kernel.
        ops: operation of each kernel.
        observer: told of progress.

    Raises:
        NotFound: there is no such folder.
        BadUsage: the limit is negative.
    """
    begun = False

    def advance(done: int, total: int) -> None:
        nonlocal begun
        if not begun:
            observer.begin("files", total)
            begun = True
        del done
        observer.advance()

    kernels = [KernelName(name) for name in names]
    try:
        found = scan_tree(root, kernels, arch=arch, ref_limit=ref_limit, observer=advance)
    finally:
        observer.end()
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return found.as_json(captured_at_utc=now, ops=ops or {})


def ops_of(reader: Reader, catalog: Catalog, names: Sequence[str]) -> dict[str, Any]:
    """The operation each kernel name stands for."""
    return dict(ask(reader, catalog, "ops_of", kernels=list(names)).rows)


def dispatch_draft(
    document: dict[str, Any], session_id: str, host: str, about: str | None = None
) -> Draft:
    """The event of a manifest; ``about`` is the row whose kernels were searched for."""
    payload = {
        "session_id": session_id,
        "document": document,
        "findings": document["findings"],
    }
    if about:
        payload["about"] = about
    return Draft("dispatch_manifest", payload, host, {"arch": document["arch"]})
