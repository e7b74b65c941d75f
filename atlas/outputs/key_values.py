"""``key=value`` tokens and ``key: value`` lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# The look-behind starts a key at a word's beginning only: scanning stays linear.
_PAIR = re.compile(r"(?<![\w.])([A-Za-z_τ]\w*)[ \t]{0,4}=[ \t]{0,8}([^\s=]\S*)")
_COLON = re.compile(r"[ \t]*([A-Za-z_]\w*):(?:[ \t]+|(?=[-+.0-9]))(\S.*)")


class Pair(NamedTuple):
    """A printed key and its value's token, as printed."""

    key: str
    value: str


def pairs(text: str) -> Iterator[Pair]:
    """Every ``key=value`` in a line, padding around ``=`` allowed.

    A separating ``,`` or ``;`` behind a value is dropped, but not at the line's end, where it may
    be a decimal comma whose digits were cut off.
    """
    for match in _PAIR.finditer(text):
        value = match[2]
        if match.end() < len(text):
            value = value.rstrip(",;")
        yield Pair(match[1], value)


def only_pairs(text: str) -> bool:
    """Whether a line is nothing but ``key=value`` tokens."""
    return "=" in text and not _PAIR.sub("", text).strip()


def colon_pair(text: str) -> Pair | None:
    """The pair of a ``key: value`` line whose key is one word, or None."""
    match = _COLON.fullmatch(text)
    return Pair(match[1], match[2].rstrip()) if match else None
