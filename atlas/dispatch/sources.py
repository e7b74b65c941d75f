"""Scores a file as the source of a kernel: by its stem, its text and its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from atlas.dispatch.names import KernelName, Match, Text
from atlas.dispatch.paths import KERNEL_FOLDER, TreePath
from atlas.dispatch.score import Reason

_FAMILY = re.compile(r"(gfx[0-9]+)[0-9a-f]{2}")

_STEM_POINTS = {
    Match.NAME: Reason("variant is a token of the stem", 250),
    Match.VARIANT: Reason("variant is a token of the stem", 250),
    Match.SUBSTRING: Reason("variant is part of the stem", 10),
}
_TEXT_POINTS = {
    Match.NAME: Reason("text has the name", 140),
    Match.VARIANT: Reason("text has a variant", 100),
    Match.SUBSTRING: Reason("text has a variant within a word", 5),
}


@dataclass(frozen=True)
class Target:
    """The architecture whose files are preferred.

    Attributes:
        arch: such as ``gfx1201``; None when no architecture is preferred.
    """

    arch: str | None

    @property
    def tag(self) -> bytes:
        """``.gfx90a`` of ``gfx90a:sramecc+:xnack-``; empty for none."""
        chip = (self.arch or "").partition(":")[0]
        return b"." + chip.encode("utf-8", "surrogatepass") if chip else b""

    @property
    def family_tag(self) -> bytes:
        """``.gfx12`` of ``gfx1201``: without minor version and stepping, one digit each."""
        family = _FAMILY.fullmatch(self.tag[1:].decode("utf-8", "replace"))
        return b"." + family[1].encode() if family else b""


@dataclass(frozen=True)
class SourceFile:
    """A file that may hold the source of a kernel, as far as it was read."""

    path: TreePath
    stem: Text
    text: Text


def score_source(kernel: KernelName, file: SourceFile, target: Target) -> tuple[Reason, ...]:
    """The reasons for a file; none when neither its stem nor its text mentions the kernel."""
    in_stem, in_text = kernel.match(file.stem), kernel.match(file.text)
    if in_stem is in_text is Match.NONE:
        return ()
    reasons = (
        _stem_tier(kernel, file.path.stem, target) if in_stem is not Match.NONE else None,
        _STEM_POINTS.get(in_stem),
        _TEXT_POINTS.get(in_text),
        *_place(file.path),
    )
    return tuple(reason for reason in reasons if reason)


def _stem_tier(kernel: KernelName, stem: bytes, target: Target) -> Reason | None:
    """The first of the stem's tiers, from best to least, that applies."""
    name, *variants = (spelling.raw for spelling in kernel.spellings)
    with_arch = any(_tagged(stem, variant, target.tag) for variant in variants)
    with_suffix = any(stem.startswith(variant + b".") for variant in variants)
    tiers = (
        (_tagged(stem, name, target.tag), "stem is the name with the target arch", 1200),
        (_tagged(stem, name, target.family_tag), "stem is the name with the target family", 1100),
        (with_arch, "stem is a variant with the target arch", 1050),
        (stem == name, "stem is the name", 1000),
        (stem.startswith(name + b"."), "stem is the name with a suffix", 950),
        (stem in variants, "stem is a variant", 900),
        (with_suffix, "stem is a variant with a suffix", 850),
    )
    return next((Reason(what, points) for applies, what, points in tiers if applies), None)


def _tagged(stem: bytes, name: bytes, tag: bytes) -> bool:
    """Whether the stem is name and tag, perhaps with further dotted suffixes."""
    return bool(tag) and (stem + b".").startswith(name + tag + b".")


def _place(path: TreePath) -> list[Reason]:
    reasons = []
    if path.suffix == b".hip":
        reasons.append(Reason("file is .hip", 25))
    if path.raw.startswith(KERNEL_FOLDER):
        reasons.append(Reason("under kernels/src/", 15))
    if path.is_test_or_benchmark:
        reasons.append(Reason("test or benchmark", -200))
    return reasons
