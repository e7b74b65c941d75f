"""The prompt that was sent: the bytes a program received count, not the file they came from."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.identity.files import observe_file
from atlas.identity.record import Record

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class PromptIdentity(Record):
    """A prompt.

    Attributes:
        md5: digest of the bytes that were sent.
        bytes: how many they were.
        file: the file they were read from, absolute.
        file_md5: digest of that file, given only when it differs from what was sent.
        reason: why the file's digest is unknown.
    """

    md5: str
    bytes: int
    file: str | None = None
    file_md5: str | None = None
    reason: str | None = None


def observe_prompt(text_sent: bytes, file: Path | None) -> PromptIdentity:
    """Observe a prompt as it was sent, and whether the file it came from says the same."""
    md5 = hashlib.md5(text_sent, usedforsecurity=False).hexdigest()
    if file is None:
        return PromptIdentity(md5, len(text_sent))
    seen = observe_file(file)
    differs = None if seen.md5 == md5 else seen.md5
    return PromptIdentity(md5, len(text_sent), os.fspath(seen.path), differs, seen.reason)
