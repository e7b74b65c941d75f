"""Where a ledger's files lie, and the lock beside them."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledger.errors import LedgerUnwritable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class LockBusy(Exception):
    """Another process holds the lock."""


class LockImpossible(Exception):
    """The folder doesn't let a lock file be made."""


@dataclass(frozen=True, slots=True)
class Place:
    """The paths of one ledger.

    The lock is a file of its own: DuckDB's lock on the database is lost as soon as anything in the
    same process opens and closes that file.
    """

    file: Path

    @property
    def outbox(self) -> Path:
        """Folder of batches that wait for the next drain."""
        return self.file.with_name(self.file.name + ".outbox")

    @property
    def damaged(self) -> Path:
        """Folder of batches that could not be read."""
        return self.outbox / "bad"

    @property
    def origin_file(self) -> Path:
        """The origin's UUID, so that recording needs no database."""
        return self.outbox / "origin"

    @property
    def lock_file(self) -> Path:
        """The file that writers lock exclusively and readers share."""
        return self.file.with_name(self.file.name + ".lock")

    def make_folder(self) -> None:
        """Make the ledger's folder and its outbox, private to the user.

        Raises:
            LedgerUnwritable: the file system refuses.
        """
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.outbox.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise unwritable(self.outbox, error) from error

    @contextmanager
    def locked(self, *, exclusive: bool, wait: bool) -> Iterator[None]:
        """Hold the lock.

        Raises:
            LockBusy: someone else holds it and ``wait`` is false.
            LockImpossible: the lock file can't be made here.
        """
        try:
            handle = os.open(self.lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise LockImpossible from error
        try:
            mode = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
            try:
                fcntl.flock(handle, mode if wait else mode | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LockBusy from None
            except OSError as error:
                raise LockImpossible from error
            yield
        finally:
            os.close(handle)


def unwritable(path: Path, error: OSError) -> LedgerUnwritable:
    """The error for a file system that refuses to be written at ``path``."""
    reason = error.strerror or str(error)
    return LedgerUnwritable(
        f"cannot write {path}: {reason}",
        hint="free some space or permissions, or choose another place with --ledger",
    )
