"""The observer at a terminal: remarks as lines, progress as a bar, both on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from atlas.render.text import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Console:
    """Says remarks once each; draws a bar only on a terminal and only for more than one step."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def remark(self, text: str) -> None:
        """One line on stderr, once."""
        if text not in self._said:
            self._said.add(text)
            click.echo(f"atlas: {printable(text)}", err=True)

    def begin(self, label: str, total: int | None) -> None:
        """Draw a bar, if anybody is looking."""
        if total is not None and total <= 1:
            return
        if not sys.stderr.isatty():
            return
        from rich.console import Console as Screen
        from rich.progress import Progress

        self._progress = Progress(console=Screen(stderr=True), transient=True)
        self._task = self._progress.add_task(label, total=total)
        self._progress.start()

    def advance(self, steps: int = 1) -> None:
        """Move the bar."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task, steps)

    def end(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
