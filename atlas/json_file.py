"""Files that hold one JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atlas.errors import BadInput
from ledger import canonical

if TYPE_CHECKING:
    from pathlib import Path


def read_object(path: Path, wanted: str = "a JSON object is wanted") -> dict[str, Any]:
    """The object in a file.

    Raises:
        BadInput: it can't be read, or holds something else: ``wanted`` says what should be there.
    """
    try:
        document = canonical.loads(path.read_bytes())[0]
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}", hint="check the path") from error
    except canonical.NotJson as error:
        raise BadInput(f"{path}: broken JSON at byte {error.offset}: {error}") from error
    if not isinstance(document, dict):
        raise BadInput(f"{path}: {wanted}")
    return document
