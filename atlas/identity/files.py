"""Digests of files, read in chunks, and what is known about a file of a measurement."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from atlas.identity.record import Record

CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class FileIdentity(Record):
    """One file as it was at the moment of the observation.

    Attributes:
        path: absolute path, symbolic links kept as they were named.
        md5: hex digest of the content; None when it could not be read.
        bytes: size in bytes.
        mtime_us: time of the last change, UTC microseconds.
        reason: why something above is unknown.
    """

    path: str
    md5: str | None = None
    bytes: int | None = None
    mtime_us: int | None = None
    reason: str | None = None


def absolute(path: Path) -> str:
    """Give the absolute path without ``..``, symbolic links kept as they were named."""
    return os.path.abspath(path)  # noqa: PTH100  # resolve() follows links, absolute() keeps `..`


def digest_file(path: Path, algorithm: Literal["md5", "sha256"]) -> str:
    """Digest a regular file's content in chunks, in memory that does not grow with the file.

    Raises:
        OSError: it is missing, unreadable or no regular file (a pipe would block for ever).
    """
    digest = hashlib.new(algorithm, usedforsecurity=False)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(f"{path}: not a regular file")
        while chunk := stream.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def observe_file(path: Path) -> FileIdentity:
    """Observe size, time and md5 of a file; what fails is said in ``reason`` and never raised."""
    name = absolute(path)
    try:
        status = Path(name).stat()
        digest = digest_file(Path(name), "md5")
    except (OSError, ValueError) as error:
        return FileIdentity(name, reason=explain(error))
    return FileIdentity(name, digest, status.st_size, status.st_mtime_ns // 1000)


def regular_files(folder: Path) -> list[tuple[str, Path]]:
    """List the regular files below a folder as (relative POSIX path, path), sorted by the former.

    Links to regular files count as files; links to folders are not entered, so a loop of links
    ends, and links to nowhere are left out.
    """
    found = [
        (path.relative_to(folder).as_posix(), path)
        for parent, _, names in os.walk(folder)
        for path in (Path(parent, name) for name in names)
        if path.is_file()
    ]
    return sorted(found, key=lambda pair: os.fsencode(pair[0]))


def explain(error: OSError | ValueError) -> str:
    """Say in a few words why a file could not be read, without repeating its path."""
    reason = getattr(error, "strerror", None)
    return str(reason or error)
