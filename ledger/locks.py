"""Holding a ledger's lock, with errors that say what to do."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from ledger.errors import LedgerUnwritable
from ledger.place import LockBusy, LockImpossible, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@contextmanager
def shared(place: Place) -> Iterator[None]:
    """Hold the lock with other readers; where no lock can be made, go without.

    Raises:
        LedgerUnwritable: a program that doesn't know of the lock holds the database.
    """
    try:
        with ExitStack() as stack:
            if place.file.exists():  # no lock file is left where no ledger is
                with suppress(LockImpossible):
                    stack.enter_context(place.locked(exclusive=False, wait=True))
            yield
    except LockBusy as error:
        raise _held(place, error) from error


@contextmanager
def exclusively(place: Place) -> Iterator[None]:
    """Hold the lock alone.

    Raises:
        LedgerUnwritable: the folder can't be written, or a program that doesn't know of the lock
            holds the database.
    """
    try:
        with place.locked(exclusive=True, wait=True):
            yield
    except LockImpossible as error:
        raise LedgerUnwritable(
            f"{place.file.parent} can't be written",
            hint="check its permissions, or choose another place with --ledger",
        ) from error
    except LockBusy as error:
        raise _held(place, error) from error


@contextmanager
def with_others(place: Place, others: Iterable[Place], *, exclusive: bool) -> Iterator[None]:
    """Hold the lock of ``place``, and share those of ``others``, where they have one.

    All are taken in the order of their paths: two merges that want each other's ledger would else
    wait for each other for ever.

    Raises:
        LedgerUnwritable: as `exclusively` and `shared`.
    """
    places = {other.file.resolve(): other for other in others} | {place.file.resolve(): place}
    with ExitStack() as stack:
        for _, one in sorted(places.items()):
            if one is place:
                stack.enter_context(exclusively(place) if exclusive else shared(place))
            elif one.lock_file.exists():
                with suppress(LockImpossible):
                    stack.enter_context(one.locked(exclusive=False, wait=True))
        yield


def _held(place: Place, error: LockBusy) -> LedgerUnwritable:
    return LedgerUnwritable(
        f"another program holds {place.file} open", hint=f"close it ({error})"[:200]
    )
