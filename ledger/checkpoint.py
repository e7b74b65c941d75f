"""Checkpoints: a few lines, kept elsewhere, that prove later what a ledger held.

A hash chain can't show that its end was cut off, that an origin was removed, or that its end was
written anew: whoever can write the file can make a chain of what is left. A checkpoint names the
head of each chain. As long as that head is still in its place, nothing before it was changed.

```
atlas-checkpoint-1
ORIGIN SIZE HASH
```

One line for each end of each origin (a forked one has several), in order, so that two ledgers with
the same events print the same text; SIZE is the number of events up to that end. An SSH signature
over exactly these lines may follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ledger.errors import SourceDamaged
from ledger.signing import check
from ledger.statements import statement

if TYPE_CHECKING:
    from pathlib import Path

    from ledger.reader import Reader, Result

FORMAT = "atlas-checkpoint-1"
_LINE = re.compile(
    r"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}) ([1-9]\d{0,17}) ([0-9a-f]{64})"
)
_SIGNATURE = "-----BEGIN SSH SIGNATURE-----"


@dataclass(frozen=True, slots=True)
class Head:
    """The end of one branch: how many events lead to it, and the last one's hash."""

    origin: str
    size: int
    hash: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint that was read.

    Attributes:
        heads: the ends it names.
        text: the lines that a signature covers.
        signature: armoured SSH signature; None without one.
    """

    heads: tuple[Head, ...]
    text: str
    signature: str | None


def checkpoint(reader: Reader) -> str:
    """The checkpoint of a ledger, unsigned. Nothing is appended by it."""
    rows = reader.ask(statement("checkpoint_heads")).rows
    heads = (f"{origin} {seq + 1} {hash_}\n" for origin, seq, hash_ in rows)
    return "".join([FORMAT, "\n", *heads])


def read_checkpoint(text: str) -> Checkpoint:
    """Read what `checkpoint` printed, with or without a signature.

    Raises:
        SourceDamaged: a line is not of that form.
    """
    body, mark, tail = text.partition(_SIGNATURE)
    first, _, rest = body.partition("\n")
    if first != FORMAT:
        raise SourceDamaged("it is no checkpoint", hint=f"its first line is not {FORMAT}")
    heads = []
    for number, line in enumerate(rest.splitlines(), start=2):
        found = _LINE.fullmatch(line)
        if not found:
            raise SourceDamaged(f"line {number} of the checkpoint is not `origin size hash`")
        heads.append(Head(found[1], int(found[2]), found[3]))
    return Checkpoint(tuple(heads), body, mark + tail if mark else None)


def signature_faults(old: Checkpoint, signers: Path | None) -> list[tuple[Any, ...]]:
    """Rows as the chain audit's: a signature that doesn't fit, or one that is wanted and missing.

    Args:
        old: the checkpoint.
        signers: file of allowed signers; None: a signature must only fit its text.
    """
    if old.signature is None:
        wrong = "it is not signed" if signers else None
    else:
        wrong = check(old.text, old.signature, signers)
    return [("fault", "bad signature", None, None, None, f"checkpoint: {wrong}")] if wrong else []


def compare(reader: Reader, old: Checkpoint) -> Result:
    """The heads of ``old`` that are no longer in the ledger's chains.

    Returns:
        Rows as the chain audit's, with the faults ``truncated`` (a rolled-back ledger looks the
        same), ``rewritten`` and ``removed origin``; none: all of it is still there.
    """
    import pyarrow as pa

    noted = pa.table(
        {
            "origin": pa.array([head.origin for head in old.heads], "string"),
            "seq": pa.array([head.size - 1 for head in old.heads], "int64"),
            "hash": pa.array([head.hash for head in old.heads], "string"),
        }
    )
    reader.connection.register("noted_heads", noted)
    found = reader.ask(statement("checkpoint_compare"))
    reader.connection.unregister("noted_heads")
    return found
