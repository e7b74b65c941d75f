"""What is found on this host, and what to do about each gap."""

from __future__ import annotations

import os
import platform
import shutil
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.ask import ask
from atlas.identity.arch import resolve_arch, run_probe
from atlas.identity.git import observe_git
from ledger.errors import LedgerError, LedgerMissing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledger.store import Ledger
    from queries.catalog import Catalog

_LLVM = ("llvm-objdump", "llvm-readobj")
_SENSORS = ("amd-smi", "rocm-smi")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked for.

    Attributes:
        what: the thing.
        state: ``ok``, ``missing`` (something works less well without) or ``problem``.
        found: what is there.
        advice: what to do about it; empty when nothing has to be done.
    """

    what: str
    state: str
    found: str
    advice: str = ""


def examine(ledger: Ledger, catalog: Catalog) -> list[Check]:
    """All checks, the ledger's last."""
    return [*_host(), *_ledger(ledger, catalog)]


def _host() -> Iterator[Check]:
    yield Check("python", "ok", platform.python_version())
    yield Check("kernel-atlas", "ok", version("kernel-atlas"))
    yield Check("duckdb", "ok", version("duckdb"))
    yield _git()
    yield _gpu()
    yield _tool("GPU sensors", _SENSORS, "install amd-smi to record clocks, power and temperature")
    yield _tool("LLVM", _LLVM, "only needed for `atlas isa --verify-with`; apt install llvm")


def _git() -> Check:
    if shutil.which("git") is None:
        return Check("git", "missing", "", "install git: without it no row can be evidence")
    seen = observe_git(Path.cwd())
    if seen.state == "unknown":
        advice = "collect inside the repository of the program that is measured"
        return Check("git", "missing", seen.reason or "no repository here", advice)
    return Check("git", "ok", f"{(seen.sha or '')[:10]} on {seen.branch}, {seen.state}")


def _gpu() -> Check:
    seen = resolve_arch([], None, os.environ, run_probe)
    if seen.arch is None:
        advice = "fine for reading; to collect, install ROCm or pass --arch"
        return Check("GPU", "missing", seen.reason or "none", advice)
    return Check("GPU", "ok", f"{seen.arch} ({seen.source})")


def _tool(what: str, names: tuple[str, ...], advice: str) -> Check:
    found = [path for name in names if (path := _which_any(name))]
    return Check(what, "ok", ", ".join(found)) if found else Check(what, "missing", "", advice)


def _which_any(name: str) -> str | None:
    """A tool under its plain name or with a version behind it, newest first."""
    versions = [f"{name}-{number}" for number in range(30, 13, -1)]
    return next((path for one in (name, *versions) if (path := shutil.which(one))), None)


def _ledger(ledger: Ledger, catalog: Catalog) -> Iterator[Check]:
    place = str(ledger.place.file)
    try:
        with ledger.reader() as reader:
            health = ask(reader, catalog, "ledger_health").dicts()[0]
    except LedgerMissing:
        yield Check(
            "ledger", "missing", place, "it is made at the first recording, or by `atlas init`"
        )
        return
    except LedgerError as error:
        yield Check("ledger", "problem", f"{place}: {error}", error.hint)
        return
    counts = ", ".join(f"{health[name]} {name}" for name in ("events", "rows", "errors", "blobs"))
    yield Check("ledger", "ok", f"{place}: {counts}")
    waiting = ledger.waiting_events()
    if waiting:
        yield Check("outbox", "problem", f"{waiting} events wait", "make the ledger writable")
    damaged = ledger.damaged_batches()
    if damaged:
        yield Check("outbox", "problem", f"{len(damaged)} damaged batches", f"look at {damaged[0]}")
    if health["conflicts"]:
        found = f"{health['conflicts']} events of forked origins"
        yield Check("fork", "problem", found, "`atlas audit chain` names them")
    if health["facts_failed"]:
        found = f"{health['facts_failed']} events without facts"
        yield Check("facts", "problem", found, "`atlas audit facts` names them")
