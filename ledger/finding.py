"""A finding: something noteworthy about input that did not stop the work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What was skipped, cut, ambiguous, replaced or damaged, and where.

    Attributes:
        code: stable lower-case identifier that scripts may test, such as ``metric_not_finite``.
        message: one sentence for people.
        where: file, line, field or offset; empty when the whole input is meant.
    """

    code: str
    message: str
    where: str = ""

    def as_json(self) -> dict[str, str]:
        """The finding as it stands in payloads and reports."""
        return {"code": self.code, "message": self.message, "where": self.where}
