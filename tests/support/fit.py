"""Rows, profiles and ISA manifests for tests of the fit views."""

from typing import Any

from atlas.rows.entry import entry
from ledger.envelope import Draft

SYMBOL_SUFFIX = ".kd"


def kernel(name: str, mix: dict[str, int] | None = None, **fields: Any) -> dict[str, Any]:
    """A kernel of a manifest; without ``mix`` its instructions were not counted."""
    made: dict[str, Any] = {
        "name": name,
        "symbol": name + SYMBOL_SUFFIX,
        "vgpr_count": 32,
        "sgpr_count": 16,
        "vgpr_spill_count": 0,
        "sgpr_spill_count": 0,
        "group_segment_fixed_size": 0,
        "wavefront_size": 32,
        **fields,
    }
    if mix is not None:
        made["instruction_summary"] = summary(mix, [name])
    return made


def summary(mix: dict[str, int], symbols: list[str]) -> dict[str, Any]:
    """An instruction summary."""
    return {
        "instruction_count": sum(mix.values()),
        "kernel_symbols": symbols,
        "opcode_counts": {},
        "category_counts": mix,
    }


def image(*kernels: dict[str, Any], arch: str = "gfx1100", **fields: Any) -> dict[str, Any]:
    """An object of a manifest; its own mix is the sum of its kernels'."""
    total: dict[str, int] = {}
    for one in kernels:
        for name, count in one.get("instruction_summary", {}).get("category_counts", {}).items():
            total[name] = total.get(name, 0) + count
    return {
        "path": "/k/" + "-".join(one["name"] for one in kernels) + ".hsaco",
        "md5": None,
        "amdhsa_target": f"amdgcn-amd-amdhsa--{arch}",
        "kernels": list(kernels),
        "instruction_summary": summary(total, [one["name"] for one in kernels]),
        "tool_errors": [],
        **fields,
    }


def manifest(*objects: dict[str, Any], producer: str | None = "kernel-atlas") -> dict[str, Any]:
    """An ISA manifest."""
    made: dict[str, Any] = {
        "schema": "hipfire.kernel_atlas.isa.v0",
        "captured_at_utc": "2026-03-02T10:00:00Z",
        "arch": None,
        "objects": list(objects),
    }
    return made | ({"producer": {"name": producer}} if producer else {})


def hot(name: str, pct: float | None, **fields: Any) -> dict[str, Any]:
    """A line of a profile."""
    known = {"pct": pct} if pct is not None else {}
    return {"name": name, "calls": 10, "avg_us": 5.0, **known, **fields}


def row(
    label: str, *, isa: dict[str, Any] | None = None, profile: tuple[Any, ...] = (), **changed: Any
) -> dict[str, Any]:
    """A v0 row; ``label`` is its workload, by which a test finds it."""
    artifacts: dict[str, Any] = changed.pop("artifacts", {})
    if isa is not None:
        artifacts |= {"isa": isa if "manifest_path" in isa else {"manifest": isa}}
    if profile:
        artifacts |= {"profile_kernels": list(profile)}
    return {
        "schema": "hipfire.kernel_atlas.v0",
        "captured_at_utc": "2026-03-02T10:00:00Z",
        "hostname": "bench-a",
        "arch": "gfx1100",
        "phase": "decode_ar",
        "workload": label,
        "workload_kind": "ar",
        "quant": "mq4",
        "shape_bucket": "decode_ar_pp32_gen50",
        "metrics": {"gen_tok_s": 48.1},
        "artifacts": artifacts,
        **changed,
    }


def ingested(rows: list[dict[str, Any]], file: str = "0" * 64) -> list[Draft]:
    """Rows as the ingest of a file records them."""
    return [
        Draft(
            "ingest",
            {
                "source": {"file_sha256": file, "ordinal": place, "adapter": "v0-row"},
                "rows": [entry(one, None)],
            },
            one["hostname"],
        )
        for place, one in enumerate(rows)
    ]
