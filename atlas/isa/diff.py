"""Two manifests → what changed per kernel, and what got worse."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.errors import BadUsage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Kernel = dict[str, Any]

RESOURCES = (
    "vgpr_count",
    "agpr_count",
    "sgpr_count",
    "vgpr_spill_count",
    "sgpr_spill_count",
    "group_segment_fixed_size",
    "private_segment_fixed_size",
    "kernarg_segment_size",
    "max_flat_workgroup_size",
    "wavefront_size",
    "code_bytes",
)


@dataclass(frozen=True, slots=True)
class Change:
    """A number before and after; None where a side does not say."""

    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class KernelDiff:
    """One kernel in both manifests.

    Attributes:
        name: kernel name.
        arch: processor, so that builds for several are told apart.
        status: ``identical`` (same code and resources), ``changed``, ``unknown`` (nothing
            differs, but a side has no code digest), ``added`` or ``removed``.
        resources: fields that differ.
        mix: instruction categories whose count differs.
        before: the kernel's facts in the first manifest, None when added.
        after: those in the second, None when removed.
    """

    name: str
    arch: str
    status: str
    resources: dict[str, Change]
    mix: dict[str, Change]
    before: Kernel | None
    after: Kernel | None


@dataclass(frozen=True, slots=True)
class Regression:
    """A kernel that got worse in one measure."""

    kernel: str
    arch: str
    measure: str
    before: int
    after: int


def diff_manifests(a: dict[str, Any], b: dict[str, Any]) -> list[KernelDiff]:
    """Compare kernels of the same name and processor, sorted by processor and name.

    Kernels of the same name in several objects are compared in the order of the objects.
    """
    before, after = _by_key(a), _by_key(b)
    return [_compare(key[:2], before.get(key), after.get(key)) for key in sorted(before | after)]


def _by_key(manifest: dict[str, Any]) -> dict[tuple[str, str, int], Kernel]:
    seen: defaultdict[tuple[str, str], int] = defaultdict(int)
    found: dict[tuple[str, str, int], Kernel] = {}
    for entry in manifest.get("objects") or []:
        target = str(entry.get("arch") or entry.get("amdhsa_target") or manifest.get("arch") or "")
        arch = target[target.find("gfx") :].split(":", maxsplit=1)[0] if "gfx" in target else target
        for kernel in entry.get("kernels") or []:
            name = str(kernel.get("name", ""))
            found[arch, name, seen[arch, name]] = kernel
            seen[arch, name] += 1
    return found


def _compare(key: tuple[str, str], before: Kernel | None, after: Kernel | None) -> KernelDiff:
    arch, name = key
    if before is None or after is None:
        status = "added" if before is None else "removed"
        return KernelDiff(name, arch, status, {}, {}, before, after)
    resources = _changes(before, after, RESOURCES)
    old, new = _categories(before), _categories(after)
    mix = _changes(old, new, sorted(old | new)) if old and new else {}
    digests = [side.get("code_sha256") for side in (before, after)]
    if resources or mix or (all(digests) and digests[0] != digests[1]):
        status = "changed"
    else:
        status = "identical" if all(digests) else "unknown"
    return KernelDiff(name, arch, status, resources, mix, before, after)


def _categories(kernel: Kernel) -> dict[str, int]:
    counts: dict[str, int] = (kernel.get("instruction_summary") or {}).get("category_counts") or {}
    return counts


def _changes(before: Kernel, after: Kernel, keys: Iterable[str]) -> dict[str, Change]:
    return {
        key: Change(before.get(key), after.get(key))
        for key in keys
        if before.get(key) != after.get(key)
    }


def _field(*names: str) -> Callable[[Kernel], int | None]:
    """Sum of the fields; None when the kernel has none of them."""

    def measure(kernel: Kernel) -> int | None:
        values = [kernel[name] for name in names if isinstance(kernel.get(name), int)]
        return sum(values) if values else None

    return measure


def _missing_waves(kernel: Kernel) -> int | None:
    limit = kernel.get("static_wave_limit")
    return limit["max_waves_per_simd"] - limit["waves_per_simd"] if limit else None


def _instructions(kernel: Kernel) -> int | None:
    count = (kernel.get("instruction_summary") or {}).get("instruction_count")
    return count if isinstance(count, int) else None


MEASURES: dict[str, Callable[[Kernel], int | None]] = {
    "spills": _field("vgpr_spill_count", "sgpr_spill_count"),
    "vgpr": _field("vgpr_count"),
    "agpr": _field("agpr_count"),
    "sgpr": _field("sgpr_count"),
    "lds": _field("group_segment_fixed_size"),
    "scratch": _field("private_segment_fixed_size"),
    "code": _field("code_bytes"),
    "instructions": _instructions,
    "waves": _missing_waves,
}
"""Measures a regression can be named by; more is worse (``waves``: waves below the maximum)."""


def regressions(diffs: Iterable[KernelDiff], measures: Iterable[str]) -> list[Regression]:
    """Kernels in both manifests that got worse in one of the named measures.

    Raises:
        BadUsage: there is no such measure.
    """
    names = list(measures)
    for name in names:
        if name not in MEASURES:
            raise BadUsage(f"No measure {name!r}.", hint=f"measures: {', '.join(MEASURES)}")
    found = []
    for diff in diffs:
        if diff.before is None or diff.after is None:
            continue
        for name in names:
            old, new = MEASURES[name](diff.before), MEASURES[name](diff.after)
            if old is not None and new is not None and new > old:
                found.append(Regression(diff.name, diff.arch, name, old, new))
    return found
