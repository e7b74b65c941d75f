"""A writing process: ``writer.py FOLDER record FIRST COUNT | drain | rebuild | both FIRST COUNT``,
``| intake FIRST COUNT | merge OTHER | export SHELF``.

Prints the number of each thing once it is durable. DIE_AT names a point at which it kills itself,
the way ``kill -9`` or a power cut would: no handler runs, no file is closed.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.toy import thing, toy_ledger

from ledger import connection, drain, facts, intake, merge, outbox, refill
from ledger.observer import SILENT
from ledger.segments import export_segments
from ledger.shelf import Shelf
from ledger.store import Ledger


def die(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before(module: Any, name: str) -> None:
    """Die where ``module.name`` would be called."""
    setattr(module, name, die)


def after(module: Any, name: str, calls: int = 1) -> None:
    """Die when ``module.name`` has returned for the ``calls``-th time."""
    real, left = getattr(module, name), [calls]

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        result = real(*args, **kwargs)
        left[0] -= 1
        if not left[0]:
            die()
        return result

    setattr(module, name, wrapped)


def in_refill() -> None:
    """The second of several slices is committed."""
    refill._EVENTS_AT_ONCE = 5
    after(facts, "commit", calls=2)


POINTS: dict[str, Callable[[], None]] = {
    "": lambda: None,
    "before_rename": lambda: before(Path, "rename"),
    "after_rename": lambda: after(Path, "rename"),
    "after_make": lambda: after(connection, "_make"),
    "after_schema": lambda: after(drain.schema, "migrate", calls=2),
    "after_read": lambda: after(outbox, "read_batch"),
    "before_commit": lambda: after(facts, "fill"),
    "after_commit": lambda: after(drain, "append"),
    "before_unlink": lambda: before(Path, "unlink"),
    "after_first_unlink": lambda: after(Path, "unlink"),
    "mid_refill": in_refill,
    "in_merge": lambda: after(merge, "_note"),
    "before_merge_commit": lambda: after(facts, "fill"),
    "after_merge": lambda: after(merge, "_store"),
}


def exchange(folder: Path, what: str, target: str) -> None:
    ledger = toy_ledger(folder)
    POINTS[os.environ.get("DIE_AT", "")]()
    if what == "merge":
        ledger.merge([Path(target)])
    else:
        with ledger.reader() as reader:
            export_segments(reader, Shelf(target), SILENT)


def take(ledger: Ledger, first: int, count: int) -> None:
    """Many events; each is told when it is added, durable with its batch of ten."""
    intake._FULL_BATCH, intake._MANY, intake.ROW_GROUP = 10, 5, 20
    with ledger.intake() as taking:
        for number in range(first, first + count):
            taking.add(thing(number), {})
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()


def main(folder: Path, what: str, first: int = 0, count: int = 0) -> None:
    ledger = toy_ledger(folder)
    POINTS[os.environ.get("DIE_AT", "")]()
    if what == "intake":
        take(ledger, first, count)
        return
    for number in range(first, first + count):
        ledger.record([thing(number)])
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        if what == "both":
            ledger.drain()
    if what == "drain":
        ledger.drain(wait=True)
    elif what == "rebuild":
        ledger.rebuild()


if __name__ == "__main__":
    if sys.argv[2] in ("merge", "export"):
        exchange(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
    else:
        main(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:]))
