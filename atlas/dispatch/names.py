"""Kernel names: the variants a source tree may use for them, and what counts as a match.

Matching works on bytes: a source file needs no valid encoding to mention a kernel.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from functools import cached_property

from atlas.dispatch.paths import shown

DESCRIPTOR_SUFFIX = ".kd"
VERSION_SUFFIXES = ("_r4", "_k8", "_v2", "_default")

_WORD_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_WORDS_ONLY = bytes(byte if byte in _WORD_BYTES else 0x20 for byte in range(256))
_WORD = rb"[A-Za-z0-9_]"


class Match(enum.Enum):
    """How well a text mentions a kernel, from best to none."""

    NAME = "name"
    VARIANT = "variant"
    SUBSTRING = "substring"
    NONE = "none"


def words_of(data: bytes) -> frozenset[bytes]:
    """The distinct runs of ``[A-Za-z0-9_]`` in some bytes."""
    return frozenset(data.translate(_WORDS_ONLY).split())


def name_variants(name: str) -> tuple[str, ...]:
    """The name and its shorter spellings, longest first.

    The rule: without ``.kd`` (the descriptor symbol), then without trailing ``_r4``, ``_k8``,
    ``_v2`` or ``_default``. Suffixes that follow one another fall one at a time, each step a
    variant; nothing is cut to the empty string. So every variant begins the one before it.
    """
    variants = [name]
    shorter = _without(name, (DESCRIPTOR_SUFFIX,)) or _without(name, VERSION_SUFFIXES)
    while shorter:
        variants.append(shorter)
        shorter = _without(shorter, VERSION_SUFFIXES)
    return tuple(variants)


def _without(name: str, suffixes: tuple[str, ...]) -> str:
    """The name without the suffix it ends with; empty when there is nothing to cut or leave."""
    return next((name[: -len(end)] for end in suffixes if name.endswith(end)), "")


class Text:
    """Bytes together with the words in them, which are found once for all kernels."""

    __slots__ = ("data", "words")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.words = words_of(data)


@dataclass(frozen=True)
class Spelling:
    """One variant as bytes, ready to be looked for as a token."""

    raw: bytes
    pattern: re.Pattern[bytes] | None
    """Set for spellings with other characters than a word's: they are in no set of words."""

    @classmethod
    def of(cls, variant: str) -> Spelling:
        """The spelling of a variant; any string is accepted."""
        raw = variant.encode("utf-8", "surrogatepass")
        if all(byte in _WORD_BYTES for byte in raw):
            return cls(raw, None)
        token = rb"(?<!%b)%b(?!%b)" % (_WORD, re.escape(raw), _WORD)
        return cls(raw, re.compile(token))

    def is_token_in(self, text: Text) -> bool:
        """Whether it stands there between characters outside ``[A-Za-z0-9_]``."""
        if self.pattern is None:
            return self.raw in text.words
        return self.raw in text.data and self.pattern.search(text.data) is not None


@dataclass(frozen=True)
class KernelName:
    """A kernel as a profile or a code object names it.

    Attributes:
        name: the name as it was observed; never changed.
    """

    name: str

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """The name first, then its shorter spellings."""
        return name_variants(self.name)

    @cached_property
    def spellings(self) -> tuple[Spelling, ...]:
        """The variants as bytes, in the same order."""
        return tuple(Spelling.of(variant) for variant in self.variants)

    @property
    def shown(self) -> str:
        """The name as text that can be encoded; a lone surrogate in it appears escaped."""
        return shown(self.spellings[0].raw)

    @property
    def root(self) -> bytes:
        """The shortest variant: all others begin with it, so where it is missing none is found."""
        return self.spellings[-1].raw

    def match(self, text: Text) -> Match:
        """How the text mentions this kernel: as a token, as a variant's, or within a word."""
        name, *others = self.spellings
        if name.is_token_in(text):
            return Match.NAME
        if any(other.is_token_in(text) for other in others):
            return Match.VARIANT
        return Match.SUBSTRING if self.root in text.data else Match.NONE
