"""Errors of the event store: one class per kind of failure, each with its exit code and a hint."""

from __future__ import annotations


class LedgerError(Exception):
    """The ledger can't do what was asked.

    Attributes:
        code: stable identifier for scripts.
        exit_code: process exit code a command ends with.
        hint: what the user can do about it.
    """

    code = "ledger"
    exit_code = 3

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class LedgerMissing(LedgerError):
    """There is no ledger at the path."""

    code = "ledger_missing"


class LedgerUnwritable(LedgerError):
    """The folder or the disk refuses to be written."""

    code = "ledger_unwritable"


class LedgerTooNew(LedgerError):
    """The file was written by a newer version of Kernel Atlas."""

    code = "ledger_too_new"


class LedgerDamaged(LedgerError):
    """The file or its outbox is not what a ledger is."""

    code = "ledger_damaged"


class QueryRefused(LedgerError):
    """A statement is wrong, or asks for more than reading."""

    code = "query_refused"
    exit_code = 2


class SourceMissing(LedgerError):
    """What should be merged is not there, or is nothing that can be merged."""

    code = "source_missing"
    exit_code = 2


class SourceDamaged(LedgerError):
    """What should be merged is refused whole.

    Attributes:
        fault: kind of the fault, as the chain audit names it; empty when the form is wrong.
    """

    code = "source_damaged"
    exit_code = 2

    def __init__(self, message: str, *, hint: str = "", fault: str = "") -> None:
        super().__init__(message, hint=hint)
        self.fault = fault


class SigningFailed(LedgerError):
    """ssh-keygen is missing or refuses a key."""

    code = "signing_failed"
    exit_code = 2
