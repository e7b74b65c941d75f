"""Files to ingest: what they are called, what they hold, and which are not looked at."""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

WHOLE_BYTES = 256 * 1024 * 1024
"""Files up to this size are read at once; larger ones only line by line."""

_PIECE = 1 << 20
_OURS = (".duckdb", ".duckdb.wal", ".lock", ".parquet")
_FOREIGN = {
    b"\x7fELF": "a code object or program: `atlas isa` reads those",
    b"__CLANG_OFFLOAD_BUNDLE__": "a code object: `atlas isa` reads those",
    b"CCOB": "a code object: `atlas isa` reads those",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "compressed: unpack it first",
    b"PK\x03\x04": "an archive: unpack it first",
    b"(\xb5/\xfd": "compressed: unpack it first",
}


@dataclass(frozen=True, slots=True)
class Source:
    """One file.

    Attributes:
        path: where it lies.
        name: as it was named or found; stored with its events.
        size: bytes.
        sha256: digest of the file as it lies there.
        head: its first bytes.
        named: manifest files its rows named so far, by the path as it stands there.
    """

    path: Path
    name: str
    size: int
    sha256: str
    head: bytes
    named: dict[str, Any] = field(default_factory=dict, compare=False)

    def whole(self) -> bytes:
        """All of it.

        Raises:
            BadInput: it is too large for that.
        """
        if self.size > WHOLE_BYTES:
            raise BadInput(
                f"{self.name}: {self.size} bytes are too many to read at once",
                hint=f"split it; only JSONL may be larger than {WHOLE_BYTES >> 20} MiB",
            )
        return self.path.read_bytes()

    def lines(self) -> Iterator[bytes]:
        """Its lines without their ends, one at a time."""
        with self.path.open("rb", buffering=_PIECE) as file:
            for line in file:
                yield line.rstrip(b"\r\n")


def open_source(path: Path, name: str) -> Source:
    """Digest a file.

    Raises:
        BadInput: it is no regular file, can't be read, is empty, or is of a kind that is not
            ingested; the message says which.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadInput(f"{name}: not a regular file", hint="name files or folders")
        digest = hashlib.sha256()
        with path.open("rb") as file:
            head = piece = file.read(_PIECE)
            size = 0
            while piece:
                digest.update(piece)
                size += len(piece)
                piece = file.read(_PIECE)
    except OSError as error:
        raise BadInput(
            f"{name}: {error.strerror}", hint="check the path and its permissions"
        ) from None
    if not size:
        raise BadInput(f"{name}: empty", hint="nothing to ingest")
    _refuse_foreign(name, head)
    return Source(path, name, size, digest.hexdigest(), head)


def _refuse_foreign(name: str, head: bytes) -> None:
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise BadInput(f"{name}: {what}", hint="it is not ingested")
    if head[8:12] == b"DUCK":
        raise BadInput(f"{name}: a DuckDB database", hint="`atlas merge` takes ledgers")


def find_files(paths: Sequence[Path]) -> list[tuple[Path, str]]:
    """Files to look at, each with the name it is reported under; folders are walked in order.

    Ledgers, their outboxes and hidden folders inside a walked folder are passed over.
    """
    found: list[tuple[Path, str]] = []
    for path in paths:
        if path.is_dir():
            found += [(file, str(file)) for file in sorted(path.rglob("*")) if _wanted(file, path)]
        else:
            found.append((path, str(path)))
    return found


def _wanted(file: Path, root: Path) -> bool:
    inside = file.relative_to(root).parts
    hidden = any(part.startswith(".") or part.endswith(".outbox") for part in inside)
    return not hidden and not file.name.endswith(_OURS) and file.is_file()
