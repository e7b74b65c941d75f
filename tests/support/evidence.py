"""Recorded runs for tests: payloads in the form that collectors write, one process each."""

import hashlib
from typing import Any

from ledger.envelope import Draft

MODEL = "4d1f" + "0" * 28
PROMPT = "9e02" + "0" * 28
BINARY = "b1" + "0" * 30
SHA = "3f2a" + "1" * 36
OBJECTS = "0c" * 32


def run(session: str, value: float | None, minute: int, **changed: Any) -> Draft:
    """One run of an AR bench with complete identity.

    Args:
        session: recording command; also what tests select by.
        value: its gen_tok_s (decode_tok_s for DFlash); None prints none.
        minute: when it ran, within the one day all of this happens on.
        changed: fields of the row by name; ``env``, ``tags``, ``metrics`` and ``entries`` too.
    """
    row = _row(value, minute, changed)
    run_id = f"{session}-{minute}"
    digest = hashlib.sha256(f"{run_id}{sorted(changed.items())}{value}".encode()).hexdigest()
    entry = {"row": row, "row_id": digest[:16], "content_sha256": digest, "run_id": run_id}
    if "status" in changed:
        entry |= {"status": changed["status"], "why": ["said so"]}
    payload: dict[str, Any] = {
        "session_id": session,
        "rows": [entry],
        "run": {"run_id": run_id, "program": "./bench", "command": row["command"], "exit_code": 0},
        "context": {"binary": {"kind": changed.get("kind", "elf")}},
    }
    if "entries" in changed:
        objects = {"digest": row["provenance"]["code_objects_sha256"]}
        payload["context"]["code_objects"] = objects | {"entries": changed["entries"]}
    return Draft("collection", payload, row["hostname"], recorded_us=_at(minute))


def series(session: str, values: list[float], minute: int, **changed: Any) -> list[Draft]:
    """Runs of one session, a minute apart."""
    return [run(session, value, minute + at, **changed) for at, value in enumerate(values)]


def _at(minute: int) -> int:
    return 1_764_500_000_000_000 + minute * 60_000_000


def _row(value: float | None, minute: int, changed: dict[str, Any]) -> dict[str, Any]:
    phase = changed.get("phase", "decode_ar")
    dflash = phase == "decode_dflash"
    metric = changed.get("metric", "decode_tok_s" if dflash else "gen_tok_s")
    stamp = f"2026-03-02T{minute // 60:02d}:{minute % 60:02d}:00Z"
    provenance = {
        "binary_path": "/b/bench",
        "binary_md5": changed.get("binary_md5", BINARY),
        "git_state": changed.get("git_state", "clean"),
        "diff_md5": changed.get("diff_md5"),
        "tree_md5": changed.get("tree_md5"),
        "code_objects_sha256": changed.get("code_objects", OBJECTS),
        "device_index": changed.get("device_index", 0),
        "visible_devices": changed.get("visible"),
        "hip_version": changed.get("hip_version", "6.4.1"),
        "rocm_version": changed.get("rocm_version", "6.4.1"),
    }
    artifacts = {
        "kv_mode": changed.get("kv_mode", "q8"),
        "prompt_md5": changed.get("prompt_md5", PROMPT if dflash else None),
        "draft_md5": changed.get("draft_md5", MODEL if dflash else None),
        "profile_kernels": changed.get("profile_kernels"),
    }
    return {
        "schema": "hipfire.kernel_atlas.v0",
        "captured_at_utc": stamp,
        "arch": changed.get("arch", "gfx1100"),
        "hostname": changed.get("host", "amber"),
        "git_sha": changed.get("git_sha", SHA),
        "phase": phase,
        "workload": changed.get("workload", "qwen3.5"),
        "workload_kind": "dflash" if dflash else "ar",
        "model_size": "9b",
        "quant": changed.get("quant", "mq4"),
        "shape_bucket": changed.get("shape_bucket", "decode_ar_pp128_gen50"),
        "model": changed.get("model", {"path": "/m/9b.hfq", "md5": MODEL, "bytes": 5_000}),
        "provenance": {name: one for name, one in provenance.items() if one is not None},
        "command": changed.get("command", ["./bench", "/m/9b.hfq"]),
        "variant": {"env": changed.get("env", {"HIPFIRE_KV_MODE": "q8"})},
        "metrics": {**({} if value is None else {metric: value}), **changed.get("metrics", {})},
        "artifacts": {name: one for name, one in artifacts.items() if one is not None},
        "tags": changed.get("tags", []),
    }
