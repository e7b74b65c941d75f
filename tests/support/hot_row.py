"""A decode row whose profile, objects and dispatch make every kind of suggestion, for tests."""

from typing import Any

from support.evidence import series

from ledger.envelope import Draft

RESIDUAL = "gemv_hfq4g256_residual"
QKV = "gemv_qkv_hfq4g256"
NORM = "rmsnorm_rotate_f32"
LOST = "argmax_f32"


def kernel(name: str, pct: float, calls: int = 500) -> dict[str, Any]:
    return {"name": name, "calls": calls, "total_ms": pct, "pct": pct}


def code(name: str, vgpr: int = 64, spills: int = 0) -> dict[str, Any]:
    mix = {"valu": 60, "vmem": 30, "salu": 10}
    return {
        "name": name,
        "vgpr_count": vgpr,
        "sgpr_count": 40,
        "vgpr_spill_count": spills,
        "sgpr_spill_count": 0,
        "wavefront_size": 32,
        "instruction_summary": {
            "instruction_count": 100,
            "kernel_symbols": [name],
            "category_counts": mix,
        },
    }


def dispatch(name: str, *files: str, controls: tuple[str, ...] = ()) -> dict[str, Any]:
    refs = [
        {"path": file, "line": 10 + place, "text": name, "kind": "code", "match_score": 1000}
        for place, file in enumerate(files)
    ]
    source = {"path": f"kernels/src/{name}.hip", "md5": "0" * 32, "match_score": 1200}
    return {
        "name": name,
        "source_files": [source],
        "dispatch_refs": refs,
        "env_controls": list(controls),
    }


PROFILE = [kernel(RESIDUAL, 48.0), kernel(QKV, 24.0), kernel(NORM, 16.0), kernel(LOST, 4.0)]
ISA = {
    "schema": "hipfire.kernel_atlas.isa.v0",
    "arch": "gfx1201",
    "objects": [
        {
            "path": "a.hsaco",
            "md5": "1" * 32,
            "amdhsa_target": "amdgcn-amd-amdhsa--gfx1201",
            "kernels": [code(RESIDUAL, vgpr=256, spills=12), code(QKV, vgpr=200), code(NORM)],
        }
    ],
}
DISPATCH = {
    "schema": "hipfire.kernel_atlas.dispatch.v0",
    "root": "/src",
    "arch": "gfx1201",
    "entries": [
        dispatch(
            RESIDUAL,
            "crates/rdna-compute/src/dispatch.rs",
            "crates/engine/src/decode.rs",
            "crates/engine/src/other.rs",
            controls=("HIPFIRE_GEMV_ROWS",),
        ),
        dispatch(QKV, "crates/rdna-compute/src/dispatch.rs"),
        dispatch(NORM, "crates/engine/src/norm.rs", "crates/engine/src/norm.rs"),
    ],
}
HOT: dict[str, Any] = {
    "arch": "gfx1201",
    "profile_kernels": PROFILE,
    "metrics": {"rocprof_coverage_pct": 80.0, "gen_tokens": 2.0},
    "artifacts": {"isa": {"manifest": ISA}, "dispatch": {"manifest": DISPATCH}},
}


def hot_row(**changed: Any) -> list[Draft]:
    """One run of that row, with changes as for `support.evidence.run`."""
    return series("hot.", [101.0], 0, **{**HOT, **changed})
