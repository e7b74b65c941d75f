"""Errors of the domain: one class per kind of failure, each with its exit code and a hint."""

from __future__ import annotations


class AtlasError(Exception):
    """A command can't do what was asked.

    Attributes:
        code: stable identifier for scripts.
        exit_code: process exit code a command ends with.
        hint: what the user can do about it.
    """

    code = "atlas"
    exit_code = 2

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class BadUsage(AtlasError):
    """Options that don't fit together, or a value that can't be read."""

    code = "bad_usage"


class BadInput(AtlasError):
    """A file that can't be read as what it should be."""

    code = "bad_input"


class NotFound(AtlasError):
    """A row, event, file or program that is not there."""

    code = "not_found"


class AnswerIsNo(AtlasError):
    """The work was done and the answer is no: a refusal, a failed check."""

    code = "answer_is_no"
    exit_code = 1
