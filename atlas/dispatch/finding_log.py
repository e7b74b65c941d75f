"""Collects the findings of a scan; of each kind the first few, then how many more there were."""

from __future__ import annotations

from collections import Counter

from ledger.finding import Finding

MAX_PER_CODE = 20


class FindingLog:
    """Findings in the order they were made, bounded for trees with thousands of odd files."""

    def __init__(self) -> None:
        self._found: list[Finding] = []
        self._counts: Counter[str] = Counter()

    def add(self, code: str, message: str, where: str = "") -> None:
        """Notes a finding."""
        self._counts[code] += 1
        if self._counts[code] <= MAX_PER_CODE:
            self._found.append(Finding(code, message, where))

    def findings(self) -> tuple[Finding, ...]:
        """What is shown, and one finding per kind for what is not."""
        more = [
            Finding(code, f"{count - MAX_PER_CODE} more like this are not listed.")
            for code, count in self._counts.items()
            if count > MAX_PER_CODE
        ]
        return (*self._found, *more)
