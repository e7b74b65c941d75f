"""What stops the reading of one object, and the sizes no object may exceed."""

from __future__ import annotations

from atlas.errors import BadInput
from ledger.finding import Finding

MIB = 1 << 20
MAX_FILE_BYTES = 256 * MIB
MAX_INFLATED_BYTES = 256 * MIB
MAX_NOTE_BYTES = 4 * MIB
MAX_CODE_BYTES = 6 * MIB
MAX_IMAGES = 1024
MAX_SYMBOLS = 1 << 19
MAX_SECTIONS = 1 << 16
MAX_NOTES = 1 << 12
MAX_FUNCTIONS = 1 << 13
MAX_LOOPS = 32
MAX_NAME_BYTES = 1 << 14

HARMLESS = frozenset({"no_table", "undecoded", "metadata_trailing"})
"""Findings that leave the rest of an object's facts as good as ever: no reason to exit with 2."""


class ObjectProblem(BadInput):
    """Bytes that are not what a code object may be; carries the finding it becomes."""

    def __init__(self, code: str, message: str, where: str = "") -> None:
        super().__init__(message)
        self.finding = Finding(code, message, where)
