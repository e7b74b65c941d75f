"""The kernel a task is about, and where to look for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from atlas.ask import ask

if TYPE_CHECKING:
    from atlas.task.row_source import SourceRow

HOT_LIMIT = 8
"""Kernels of a profile that are looked at."""


@dataclass(frozen=True, slots=True)
class HotKernel:
    """A kernel of a profile.

    Attributes:
        name: as the profile prints it; ``unknown`` without a profile.
        profile: ``{calls, total_ms, avg_us, pct, gib_s}`` as far as printed.
        op: ``{family, role, phase_hint}``.
        sources: files that may hold its source, best first.
        dispatch_refs: lines that mention it: places to look, which prove no branch.
        env_controls: variables that may decide whether it is dispatched.
        isa_objects: code objects that hold it.
    """

    name: str = "unknown"
    profile: dict[str, Any] = field(default_factory=dict)
    op: dict[str, Any] = field(default_factory=dict)
    sources: list[Any] = field(default_factory=list)
    dispatch_refs: list[Any] = field(default_factory=list)
    env_controls: list[str] = field(default_factory=list)
    isa_objects: list[dict[str, Any]] = field(default_factory=list)

    @property
    def top_source(self) -> str | None:
        """The file that most likely holds its source."""
        for one in self.sources:
            path = one.get("path") if isinstance(one, dict) else one
            if isinstance(path, str) and path:
                return path
        return None

    def as_json(self) -> dict[str, Any]:
        """The form in ``task.json``."""
        return {
            "name": self.name,
            "profile": self.profile,
            "op": self.op,
            "source_files": self.sources,
            "dispatch_refs": self.dispatch_refs,
            "env_controls": self.env_controls,
            "isa_objects": self.isa_objects,
        }


def hot_kernel_of(source: SourceRow, name: str | None, hot_limit: int = HOT_LIMIT) -> HotKernel:
    """The kernel of that name, or the hottest one of the row's profile."""
    found = ask(
        source.reader, source.catalog, "task_kernels", row_id=source.row_id, hot_limit=hot_limit
    ).dicts()
    told = next((one for one in found if name in (None, one["kernel"])), {})
    kernel = name or told.get("kernel")
    if kernel is None:
        return HotKernel()
    entry = _dispatch_entry(source.manifests.get("dispatch", {}), kernel)
    entry = entry or _recorded_places(source, kernel)
    return HotKernel(
        name=kernel,
        profile=_known(told, ("calls", "total_ms", "avg_us", "pct", "gib_s")),
        op=_known(told, ("family", "role", "phase_hint")) or entry.get("op") or {},
        sources=_list(entry, "source_files"),
        dispatch_refs=_list(entry, "dispatch_refs"),
        env_controls=[one for one in _list(entry, "env_controls") if isinstance(one, str)],
        isa_objects=_isa_objects(source.manifests.get("isa", {}), kernel)
        or _recorded_objects(source, kernel),
    )


def _dispatch_entry(manifest: dict[str, Any], kernel: str) -> dict[str, Any]:
    entries = [one for one in _list(manifest, "entries") if isinstance(one, dict)]
    return next((one for one in entries if one.get("name") == kernel), {})


def _recorded_places(source: SourceRow, kernel: str) -> dict[str, Any]:
    """What the ledger's dispatch manifest of the row says, in the form of a manifest's entry."""
    found = ask(
        source.reader, source.catalog, "places_of_kernel", row_id=source.row_id, kernel=kernel
    ).dicts()
    if not found:
        return {}
    known = found[0]
    names = {"sources": "source_files", "refs": "dispatch_refs", "env_controls": "env_controls"}
    return {name: known[column] for column, name in names.items() if known[column]}


def _isa_objects(manifest: dict[str, Any], kernel: str) -> list[dict[str, Any]]:
    """Objects that hold a kernel, each with what is told about that kernel alone."""
    found = []
    for one in _list(manifest, "objects"):
        kernels = _list(one, "kernels") if isinstance(one, dict) else []
        held = [k for k in kernels if isinstance(k, dict) and k.get("name") == kernel]
        if held:
            found.append({**_known(one, ("path", "md5", "arch")), "kernels": held})
    return found


def _recorded_objects(source: SourceRow, kernel: str) -> list[dict[str, Any]]:
    """What the ledger's code objects of the row say, in the form of a manifest's objects."""
    found = ask(
        source.reader, source.catalog, "objects_of_kernel", row_id=source.row_id, kernel=kernel
    ).dicts()
    return [{**_known(one, ("path", "md5", "arch")), "kernels": one["kernels"]} for one in found]


def _known(values: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: values[name] for name in names if values.get(name) is not None}


def _list(values: dict[str, Any], name: str) -> list[Any]:
    value = values.get(name)
    return value if isinstance(value, list) else []
