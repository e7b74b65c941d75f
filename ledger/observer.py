"""How the library speaks: remarks and progress go to an observer that the caller injects."""

from __future__ import annotations

from typing import Protocol


class Observer(Protocol):
    """Receives what a person may want to know while the work goes on."""

    def remark(self, text: str) -> None:
        """Something the user should know; one line."""

    def begin(self, label: str, total: int | None) -> None:
        """Long work begins; ``total`` steps, None when that is unknown."""

    def advance(self, steps: int = 1) -> None:
        """Some of it is done."""

    def end(self) -> None:
        """It is over."""


class Silent:
    """The observer that says nothing."""

    def remark(self, text: str) -> None:
        """Drop the remark."""

    def begin(self, label: str, total: int | None) -> None:
        """Ignore."""

    def advance(self, steps: int = 1) -> None:
        """Ignore."""

    def end(self) -> None:
        """Ignore."""


SILENT: Observer = Silent()
