"""The model a program ran, with a cache of digests: hashing tens of gigabytes once is enough."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.identity.files import absolute, digest_file, explain, regular_files
from atlas.identity.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ModelIdentity(Record):
    """A model file or folder.

    Attributes:
        path: absolute path.
        bytes: size; of a folder the sum over its files.
        mtime_us: time of the last change, UTC microseconds; of a folder the latest of its files.
        md5: digest of the content, None when it was not asked for. Of a folder: md5 over one line
            ``relative path NUL md5`` per file, sorted by path.
        reason: why something above is unknown.
    """

    path: str
    bytes: int | None = None
    mtime_us: int | None = None
    md5: str | None = None
    reason: str | None = None


class HashCache:
    """Digests of files by path, size, time of change (ns) and inode, one small file each.

    Files are replaced atomically, so that programs may share the folder; what can't be read or
    written is as if it were not there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of_user(cls, environ: Mapping[str, str] | None = None) -> HashCache:
        """Give the cache in the user's cache folder (XDG_CACHE_HOME, else ~/.cache)."""
        values = os.environ if environ is None else environ
        base = Path(values.get("XDG_CACHE_HOME", ""))
        # Without a home the path leads nowhere, and nothing is kept.
        home = Path(values.get("HOME") or os.devnull)
        return cls((base if base.is_absolute() else home / ".cache") / "kernel-atlas" / "md5")

    def md5(self, path: Path) -> str:
        """Give the md5 of a file, from the cache if nothing about the file changed.

        Raises:
            OSError: the file can't be read, or changed while it was.
        """
        key = self._key(path)
        known = self._load(key)
        if known is not None:
            return known
        digest = digest_file(path, "md5")
        if self._key(path) != key:
            raise OSError("the file changed while it was read")
        with suppress(OSError):
            self._store(key, digest)
        return digest

    @staticmethod
    def _key(path: Path) -> str:
        status = path.stat()
        return json.dumps([str(path.absolute()), status.st_size, status.st_mtime_ns, status.st_ino])

    def _file(self, key: str) -> Path:
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    def _load(self, key: str) -> str | None:
        try:
            entry = json.loads(self._file(key).read_bytes())
            digest = entry["md5"] if entry["key"] == key else None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        well_formed = (
            isinstance(digest, str) and len(digest) == 32 and not digest.strip("0123456789abcdef")
        )
        return digest if well_formed else None

    def _store(self, key: str, digest: str) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self.folder)
        try:
            with os.fdopen(descriptor, "w") as stream:
                json.dump({"key": key, "md5": digest}, stream)
            Path(name).replace(self._file(key))
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise


def observe_model(path: Path, hash_it: bool, cache: HashCache) -> ModelIdentity:
    """Observe a model file or folder; what fails is said in ``reason`` and never raised.

    Args:
        path: file, or folder of files (links to files count, links to folders are not entered).
        hash_it: whether to digest the content; without it a model is known by path and size only.
        cache: where digests are looked up and kept.
    """
    name = absolute(path)
    try:
        files = regular_files(Path(name)) if path.is_dir() else [("", Path(name))]
        states = [file.stat() for _, file in files]
        if not states:
            return ModelIdentity(name, bytes=0, reason="the folder holds no file")
        size = sum(state.st_size for state in states)
        mtime_us = max(state.st_mtime_ns for state in states) // 1000
    except (OSError, ValueError) as error:
        return ModelIdentity(name, reason=explain(error))
    if not hash_it:
        return ModelIdentity(name, size, mtime_us, reason="not hashed")
    try:
        digests = [(relative, cache.md5(file)) for relative, file in files]
    except OSError as error:
        return ModelIdentity(name, size, mtime_us, reason=explain(error))
    return ModelIdentity(name, size, mtime_us, _combined(digests))


def _combined(digests: list[tuple[str, str]]) -> str:
    if len(digests) == 1 and not digests[0][0]:
        return digests[0][1]
    lines = b"".join(os.fsencode(relative) + f"\0{md5}\n".encode() for relative, md5 in digests)
    return hashlib.md5(lines, usedforsecurity=False).hexdigest()
