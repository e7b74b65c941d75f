"""Paths of a source tree: their parts, and which of them can be sources or references."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

KERNEL_FOLDER = b"kernels/src/"
REFERENCE_FOLDERS = (b"crates/", b"cli/", KERNEL_FOLDER)
SOURCE_SUFFIXES = frozenset({b".hip", b".cu", b".cpp", b".cc", b".c", b".h", b".hpp"})
REFERENCE_SUFFIXES = frozenset({b".rs", b".ts", b".js", b".hip", b".h", b".hpp", b".cpp"})


def shown(raw: bytes) -> str:
    r"""A path as text; bytes that are no UTF-8 appear as ``\xff``."""
    return raw.decode("utf-8", "backslashreplace")


def is_folder(path: Path) -> bool:
    """Whether a folder is there; no where it can't be known, for whatever reason."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises for forbidden or overlong names


@dataclass(frozen=True)
class TreePath:
    """A file of the tree.

    Attributes:
        raw: path relative to the root, parts separated by ``/``, in the bytes the file system uses.
    """

    raw: bytes

    @cached_property
    def file_name(self) -> bytes:
        """The last part."""
        return self.raw.rpartition(b"/")[2]

    @cached_property
    def stem(self) -> bytes:
        """The last part without its last suffix: ``gemv.gfx12`` of ``src/gemv.gfx12.hip``."""
        return self.file_name[: len(self.file_name) - len(self.suffix)]

    @cached_property
    def suffix(self) -> bytes:
        """The last suffix with its dot; empty for none."""
        stem, dot, suffix = self.file_name.rpartition(b".")
        return dot + suffix if stem else b""

    @property
    def shown(self) -> str:
        """The path as text."""
        return shown(self.raw)

    @cached_property
    def is_test_or_benchmark(self) -> bool:
        """Whether a part is ``test``, ``tests`` or ``bench…``, or the file is ``test_*``."""
        parts = self.raw.split(b"/")
        return (
            any(part in {b"test", b"tests"} or part.startswith(b"bench") for part in parts)
            # a file benchmark_* begins with bench…, too
            or self.file_name.startswith(b"test_")
        )


@dataclass(frozen=True)
class Layout:
    """Which files of a tree can be sources and references.

    Sources are looked for under ``kernels/src/`` where it exists, else under the whole root;
    references only ever under ``crates/``, ``cli/`` and ``kernels/src/``.

    Attributes:
        has_kernel_folder: whether the tree has a ``kernels/src/``.
    """

    has_kernel_folder: bool

    def covers(self, folder: bytes) -> bool:
        """Whether something below a folder, given with its last ``/``, can matter."""
        return (
            not self.has_kernel_folder
            or folder.startswith(REFERENCE_FOLDERS)
            or any(known.startswith(folder) for known in REFERENCE_FOLDERS)
        )

    def is_source(self, path: TreePath) -> bool:
        """Whether the file can hold a kernel's source."""
        in_place = not self.has_kernel_folder or path.raw.startswith(KERNEL_FOLDER)
        return in_place and path.suffix in SOURCE_SUFFIXES

    def is_reference(self, path: TreePath) -> bool:
        """Whether the file's lines can be references."""
        return path.raw.startswith(REFERENCE_FOLDERS) and path.suffix in REFERENCE_SUFFIXES

    def wants(self, raw: bytes) -> bool:
        """Whether the file has to be read at all."""
        path = TreePath(raw)
        return self.is_source(path) or self.is_reference(path)
