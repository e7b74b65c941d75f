"""What one invocation of the command line knows: its ledger, its output format, its observer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from atlas.where import find_ledger, prepare_folder

if TYPE_CHECKING:
    from ledger.observer import Observer
    from ledger.store import Ledger
    from queries.catalog import Catalog

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "parquet")
"""Formats of everything tabular."""


class State:
    """Options that hold for the whole invocation.

    Attributes:
        ledger_option: ``--ledger``, None when not given.
        format: one of `FORMATS`; decides how results *and* errors look.
    """

    def __init__(self) -> None:
        self.ledger_option: Path | None = None
        self.format = "table"
        self._catalog: Catalog | None = None

    @property
    def catalog(self) -> Catalog:
        """The queries of this version."""
        from queries.catalog import Catalog

        self._catalog = self._catalog or Catalog()
        return self._catalog

    @property
    def observer(self) -> Observer:
        """Remarks and progress for the person at the terminal, on stderr."""
        from atlas.cli.console import Console

        return Console()

    def ledger(self, *, make_folder: bool = False) -> Ledger:
        """The ledger this invocation works on.

        Args:
            make_folder: something will be recorded: the folder is made private and ignored by git.
        """
        from ledger.store import Ledger

        path = find_ledger(self.ledger_option, os.environ, Path.cwd())
        if make_folder:
            prepare_folder(path)
        return Ledger(path, self.catalog, self.observer)


pass_state = click.make_pass_decorator(State, ensure=True)
