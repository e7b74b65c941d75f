"""The folder of compiled kernels a program loaded from: a digest, and what it is made of."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.identity.files import absolute, digest_file, explain, regular_files
from atlas.identity.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

CACHE_VARIABLE = "HIPFIRE_KERNEL_CACHE"
DEFAULT_FOLDER = ".hipfire_kernels"


@dataclass(frozen=True, slots=True)
class CodeObjectsIdentity(Record):
    """A folder of code objects.

    Attributes:
        folder: absolute path that was looked at; None when there was nothing to go by.
        digest: sha256 over one line ``relative path NUL md5`` per file, sorted by path; None when
            the folder is absent or a file could not be read.
        count: number of files.
        entries: (relative path, md5) pairs, so that a folder that only grew can be told from one
            that changed.
        reason: why something above is unknown.
    """

    folder: str | None = None
    digest: str | None = None
    count: int | None = None
    entries: tuple[tuple[str, str], ...] | None = None
    reason: str | None = None


def observe_code_objects(
    environ: Mapping[str, str], cwd: Path, arch: str | None
) -> CodeObjectsIdentity:
    """Observe the folder a program with this environment loads its kernels from.

    It is ``$HIPFIRE_KERNEL_CACHE``, else ``.hipfire_kernels/<arch>`` below the working directory.
    Regular files count, links to regular files too; links to folders are not entered.
    """
    named = environ.get(CACHE_VARIABLE)
    if not named and not arch:
        return CodeObjectsIdentity(reason="no kernel cache is named and the arch is unknown")
    path = Path(absolute(cwd / (named or Path(DEFAULT_FOLDER, str(arch)))))
    if not path.is_dir():
        return CodeObjectsIdentity(str(path), reason="no such folder")
    try:
        entries = tuple((name, digest_file(file, "md5")) for name, file in regular_files(path))
    except OSError as error:
        return CodeObjectsIdentity(str(path), reason=explain(error))
    return CodeObjectsIdentity(str(path), digest_entries(entries), len(entries), entries)


def digest_entries(entries: tuple[tuple[str, str], ...]) -> str:
    """Digest (relative path, md5) pairs that are sorted by path."""
    lines = (os.fsencode(name) + f"\0{md5}\n".encode() for name, md5 in entries)
    return hashlib.sha256(b"".join(lines)).hexdigest()
