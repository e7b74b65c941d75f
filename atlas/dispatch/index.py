"""Which kernels a text may mention: one lookup for all names together.

A text is cut into words once. A word seen before costs one set operation, however many kernels are
asked for; only words new to the scan are compared with the names, and a tree repeats its words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from atlas.dispatch.names import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from atlas.dispatch.names import KernelName, Text

MAX_KNOWN_WORDS = 200_000


class NameIndex:
    """Finds the kernels whose shortest variant stands anywhere in a text.

    Attributes:
        kernels: the kernels, in the caller's order; results come in this order too.
    """

    def __init__(self, kernels: Sequence[KernelName]) -> None:
        self.kernels = tuple(kernels)
        self._needles = [_needle(kernel) for kernel in self.kernels]
        self._everywhere = sum(1 << at for at, needle in enumerate(self._needles) if not needle)
        self._known: set[bytes] = set()
        # bit sets of kernels: a hostile tree can bring a new word with every few bytes
        self._matches: dict[bytes, int] = {}

    def mentioned(self, text: Text) -> list[KernelName]:
        """The kernels of which a variant is a substring of the text."""
        self._learn(text.words)
        bits = self._everywhere
        for word in text.words & self._matches.keys():
            bits |= self._matches[word]
        found = (kernel for at, kernel in enumerate(self.kernels) if bits >> at & 1)
        return [kernel for kernel in found if kernel.root in text.data]

    def _learn(self, words: frozenset[bytes]) -> None:
        """Compares new words with every name, all words of a text in one search per name."""
        if len(self._known) > MAX_KNOWN_WORDS:
            self._known.clear()
            self._matches.clear()
        new = words - self._known
        self._known |= new
        joined = b" ".join(new)
        for at, needle in enumerate(self._needles):
            if needle and needle in joined:
                for word in new:
                    if needle in word:
                        self._matches[word] = self._matches.get(word, 0) | 1 << at


def _needle(kernel: KernelName) -> bytes:
    """The longest word of the shortest variant: part of some word of each text that mentions it."""
    return max(sorted(words_of(kernel.root)), key=len, default=b"")
