"""Environment variables that may decide whether a kernel is dispatched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LINE_BYTES = 65_536

# fused_qkv is a projection, no KV cache: a q in front of kv excludes it
_BY_NAME = (
    ("HIPFIRE_GEMV_ROWS", re.compile(r"multirow|hfq4g256_residual", re.IGNORECASE)),
    ("HIPFIRE_ATTN_FLASH", re.compile(r"attention|flash", re.IGNORECASE)),
    ("HIPFIRE_KV_MODE", re.compile(r"(?<!q)kv", re.IGNORECASE)),
)
_IN_TEXT = re.compile(rb"HIPFIRE_[A-Z0-9_]+")


def controls_in_text(data: bytes) -> tuple[str, ...]:
    """Every ``HIPFIRE_…`` variable that a line names, each once, in the line's order.

    Of a line only the first 65536 bytes are searched: longer ones are generated.
    """
    if b"HIPFIRE_" not in data:
        return ()
    found = _IN_TEXT.findall(data, 0, MAX_LINE_BYTES)
    return tuple(dict.fromkeys(name.decode("ascii") for name in found))


def env_controls(name: str, from_references: Iterable[str]) -> tuple[str, ...]:
    """Variables known for such a name, and those its references name; sorted, each once."""
    known = {variable for variable, rule in _BY_NAME if rule.search(name)}
    return tuple(sorted(known | set(from_references)))
