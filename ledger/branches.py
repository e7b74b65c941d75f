"""Branches of a forked chain: which event follows which, decided by hashes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Link(NamedTuple):
    """Place of one event in the chain of its origin."""

    seq: int
    hash: str
    prev_hash: str


def continuing(head: str, links: Iterable[Link]) -> set[str]:
    """Hashes of one chain that follows ``head``; where it parts, the smaller hash goes on.

    Which branch that is means nothing: from the first difference on, all of them are contested.
    """
    following: dict[str, str] = {}
    for link in links:
        following[link.prev_hash] = min(link.hash, following.get(link.prev_hash, link.hash))
    chain: set[str] = set()
    while (head := following.get(head, "")) and head not in chain:
        chain.add(head)
    return chain


def main_chain(links: Iterable[Link]) -> set[str]:
    """Hashes of one chain among ``links``, from the earliest event that follows none of them."""
    given = list(links)
    hashes = {link.hash for link in given}
    roots = [link for link in given if link.prev_hash not in hashes]
    return continuing(min(roots).prev_hash, given) if roots else set()


def paths(links: Iterable[Link]) -> list[list[Link]]:
    """Cut a tree of events into chains; each begins where it leaves another, or at its root."""
    growing: dict[str, list[Link]] = {}
    found: list[list[Link]] = []
    for link in sorted(links):
        path = growing.pop(link.prev_hash, None)
        if path is None:
            path = []
            found.append(path)
        path.append(link)
        growing[link.hash] = path
    return found
