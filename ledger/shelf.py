"""A shelf: a folder of immutable files, on this machine, a shared disk or an object store.

Everything goes through ``pyarrow.fs``, so that a folder and a bucket are the same calls.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from pyarrow import ArrowException, fs

from ledger.errors import LedgerUnwritable, SourceMissing
from ledger.outbox import write_durably

_REFUSED = (OSError, ArrowException)


class Shelf:
    """Files by relative name; a file that is there is never changed.

    Args:
        url: a path, or what ``pyarrow.fs`` knows: ``file:///…``, ``s3://bucket/folder``, ``gs://…``.

    Raises:
        SourceMissing: the URL names no kind of place that can be reached.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            if "://" in url:
                self._files, self._root = fs.FileSystem.from_uri(url)
            else:
                self._files, self._root = fs.LocalFileSystem(), str(Path(url).absolute())
        except (*_REFUSED, ValueError) as error:
            raise SourceMissing(
                f"{url} can't be reached: {error}", hint="name a folder, or a URL such as s3://…"
            ) from error

    def names(self, folder: str) -> dict[str, int]:
        """Finished files directly in ``folder`` with their sizes in bytes; none if it is missing.

        Raises:
            SourceMissing: the place can't be listed.
        """
        return {
            info.base_name: info.size
            for info in self._list(folder)
            if info.type == fs.FileType.File and not info.base_name.startswith(".")
        }

    def folders(self, prefix: str) -> list[str]:
        """Folders at the top whose names start with ``prefix``."""
        return sorted(
            info.base_name
            for info in self._list("")
            if info.type == fs.FileType.Directory and info.base_name.startswith(prefix)
        )

    def _list(self, folder: str) -> list[fs.FileInfo]:
        selector = fs.FileSelector(self._at(folder), allow_not_found=True)
        try:
            found: list[fs.FileInfo] = self._files.get_file_info(selector)
        except _REFUSED as error:
            raise SourceMissing(f"{self.url} can't be listed: {error}") from error
        return found

    def read(self, name: str) -> bytes:
        """Bytes of a file.

        Raises:
            SourceMissing: it can't be read.
        """
        try:
            with self._files.open_input_stream(self._at(name)) as file:
                return bytes(file.read())
        except _REFUSED as error:
            raise SourceMissing(f"{name} in {self.url} can't be read: {error}") from error

    def write(self, name: str, body: bytes) -> None:
        """Make a file, as a whole or not at all.

        Raises:
            LedgerUnwritable: the place refuses.
        """
        path = self._at(name)
        try:
            self._files.create_dir(str(PurePosixPath(path).parent), recursive=True)
            if isinstance(self._files, fs.LocalFileSystem):
                write_durably(Path(path), [body])
            else:
                # An object store shows an object when its upload is complete, not before.
                with self._files.open_output_stream(path) as file:
                    file.write(body)
        except _REFUSED as error:
            raise LedgerUnwritable(
                f"cannot write {name} in {self.url}: {error}",
                hint="free some space or permissions; what is there already stays right",
            ) from error

    def _at(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}" if name else self._root
