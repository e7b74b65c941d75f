"""Reads a file of the tree once: regular text files up to a size, nothing else."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from atlas.dispatch.finding_log import FindingLog
    from atlas.dispatch.paths import TreePath

MAX_BYTES = 4 * 1024 * 1024
_PROBE_BYTES = 8192

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_text(root: Path, path: TreePath, log: FindingLog) -> bytes | None:
    """The file's bytes; None when it can't or should not be read, which the log then says.

    A file with a NUL among its first 8192 bytes is binary. A file that is gone (deleted, yet still
    in git's index) is no finding. Opening never waits, so a pipe with such a name can't block.
    """
    try:
        descriptor = os.open(root / os.fsdecode(path.raw), _FLAGS)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            log.add("symlink", "It is a symbolic link, which is not followed.", path.shown)
        else:
            log.add("unreadable", f"{error.strerror}.", path.shown)
        return None
    try:
        return _read(descriptor, path, log)
    except OSError as error:
        log.add("unreadable", f"{error.strerror}.", path.shown)
        return None
    finally:
        os.close(descriptor)


def _read(descriptor: int, path: TreePath, log: FindingLog) -> bytes | None:
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        log.add("not_regular", "It is no regular file.", path.shown)
        return None
    probe = os.read(descriptor, _PROBE_BYTES)
    if b"\0" in probe:
        log.add("binary", "It has NUL bytes, so it is taken as binary; UTF-16 is too.", path.shown)
        return None
    if about.st_size > MAX_BYTES:
        log.add("too_large", f"It has more than {MAX_BYTES} bytes.", path.shown)
        return None
    return probe + _rest(descriptor) if len(probe) == _PROBE_BYTES else probe


def _rest(descriptor: int) -> bytes:
    """What follows the probe; capped, because a file may grow while it is read."""
    chunks, left = [], MAX_BYTES
    while left > 0 and (chunk := os.read(descriptor, left)):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)
