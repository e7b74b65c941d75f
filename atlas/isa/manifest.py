"""Inspected files → one manifest, the JSON that people exchange."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from atlas.isa.tables import table_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from atlas.isa.scan import InspectedFile

MANIFEST_SCHEMA = "hipfire.kernel_atlas.isa.v0"


def build_manifest(
    files: Iterable[InspectedFile],
    *,
    arch: str | None = None,
    captured_at: datetime | None = None,
) -> dict[str, Any]:
    """The manifest of inspected files: one entry per device image.

    Args:
        files: what a scan found.
        arch: the target that was asked for; without it, the only processor inside, if there
            is only one.
        captured_at: time of the inspection, now by default.
    """
    objects = [entry for file in files for entry in _entries(file)]
    when = (captured_at or datetime.now(UTC)).astimezone(UTC)
    inside = {entry["arch"] for entry in objects if entry["arch"]}
    return {
        "schema": MANIFEST_SCHEMA,
        "producer": {"name": "kernel-atlas", "table_version": table_version()},
        "captured_at_utc": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "arch": arch or (next(iter(inside)) if len(inside) == 1 else None),
        "object_count": len(objects),
        "kernel_count": sum(len(entry["kernels"]) for entry in objects),
        "instruction_count": sum(
            entry["instruction_summary"]["instruction_count"] for entry in objects
        ),
        "category_counts": _categories(objects),
        "objects": objects,
    }


def _entries(file: InspectedFile) -> Iterator[dict[str, Any]]:
    payload = file.facts.payload
    for image in file.facts.images or [_NO_IMAGE]:
        yield {
            "path": file.path,
            "md5": file.facts.md5,
            "container": payload["container"],
            "bundle_targets": payload["bundle_targets"],
            **{key: value for key, value in image.items() if key != "findings"},
            "tool_errors": payload["findings"] + image["findings"],
        }


def _categories(objects: list[dict[str, Any]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for entry in objects:
        total.update(entry["instruction_summary"]["category_counts"])
    return dict(sorted(total.items()))


_NO_IMAGE: dict[str, Any] = {
    "bundle_target": None,
    "amdhsa_target": "",
    "arch": "",
    "code_object_version": None,
    "kernels": [],
    "device_functions": [],
    "instruction_summary": {
        "instruction_count": 0,
        "kernel_symbols": [],
        "opcode_counts": {},
        "base_opcode_counts": {},
        "category_counts": {},
    },
    "findings": [],
}
