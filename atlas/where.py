"""Where the ledger is: named by option or environment, or found by walking up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ledger.errors import LedgerUnwritable

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(".codeinsight+research") / "kernel-atlas"
FILE = "atlas.duckdb"


def find_ledger(option: Path | None, environ: Mapping[str, str], cwd: Path) -> Path:
    """Path of the ledger: ``--ledger`` > ``ATLAS_LEDGER`` > the nearest one above > a new one.

    The walk up stops at the root of the git repository; a new ledger is made there, or in the
    working directory where there is no repository.
    """
    if option is not None:
        return option.absolute()
    if environ.get("ATLAS_LEDGER"):
        return Path(environ["ATLAS_LEDGER"]).absolute()
    home = cwd
    for folder in (cwd, *cwd.parents):
        candidate = folder / FOLDER / FILE
        if candidate.exists() or candidate.with_name(FILE + ".outbox").exists():
            return candidate
        if (folder / ".git").exists():
            home = folder
            break
    return home / FOLDER / FILE


def prepare_folder(ledger: Path) -> None:
    """Make the ledger's folder if it is missing: private to the user, ignored by git.

    Raises:
        LedgerUnwritable: the file system refuses.
    """
    folder = ledger.parent
    if folder.exists():
        return
    try:
        folder.mkdir(parents=True, mode=0o700)
        if FOLDER.name == folder.name:
            (folder / ".gitignore").write_text("*\n")
    except OSError as error:
        raise LedgerUnwritable(
            f"cannot make {folder}: {error.strerror}",
            hint="check its permissions, or choose another place with --ledger",
        ) from error
