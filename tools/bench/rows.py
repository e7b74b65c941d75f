"""Synthetic v0 rows of a realistic size: a fleet of hosts, commits and shapes, with kernel profiles."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_KERNELS = [
    "gemm_hfq4g256_wmma_k2",
    "gemv_hfq4g256_residual",
    "fused_rmsnorm_mq_rotate",
    "attention_flash_asym3",
    "gated_delta_net_q8_fast",
    "conv1d_silu_split_f32",
    "fused_qkv_hfq4g256",
    "mq_rotate_x",
    "gemv_q8_0",
    "embedding_q8_batched",
    "argmax_f32",
    "kv_cache_write_asym3",
]
_PHASES = (("prefill", "prefill_tok_s"), ("decode_ar", "gen_tok_s"))


def rows(count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """``count`` rows of about 2.4 KB, series of five runs each."""
    rng = random.Random(seed)
    for number in range(count):
        phase, metric = _PHASES[number % 2]
        series = number // 10
        value = round(40 + series % 90 + rng.gauss(0, 0.3), 2)
        yield {
            "schema": "hipfire.kernel_atlas.v0",
            "captured_at_utc": f"2026-{1 + series % 12:02}-{1 + series % 28:02}T12:00:{number % 60:02}Z",
            "arch": ("gfx1100", "gfx1151", "gfx1201")[series % 3],
            "hostname": f"host{series % 8}",
            "git_sha": f"{series % 400:040x}",
            "phase": phase,
            "workload": "qwen3.5",
            "workload_kind": "ar",
            "model": {
                "path": "/models/qwen3.5-9b.mq4",
                "md5": f"{series % 7:032x}",
                "bytes": 5_600_000_000,
            },
            "provenance": {
                "binary_path": "/src/target/release/examples/bench_qwen35_mq4",
                "binary_md5": f"{series % 500:032x}",
                "git_dirty": False,
                "diff_md5": "68b329da9893e34099c7d8ad5cb9c940",
            },
            "command": [
                "bench_qwen35_mq4",
                "/models/qwen3.5-9b.mq4",
                "--prefill",
                "128",
                "--gen",
                "50",
            ],
            "variant": {"env": {"HIPFIRE_KV_MODE": "asym3", "HIPFIRE_GRAPH": str(series % 2)}},
            "status": "ok",
            "model_size": "9b",
            "quant": "mq4",
            "shape_bucket": "pp128" if phase == "prefill" else "decode_ar_pp128_gen50",
            "run_index": number % 10 // 2,
            "metrics": {metric: value, "avg_ms": 23.2, "p50_ms": 23.1, "bw_gib_s": 182.3},
            "artifacts": {"kv_mode": "asym3"} | _profiled(rng, series),
            "tags": [],
            "stderr_tail": f"SUMMARY  {metric}={value}\n" * (6 if series % 10 == 0 else 44),
            "nonce": number,
        }


def _profiled(rng: random.Random, series: int) -> dict[str, Any]:
    """One series in ten was measured with profiling on."""
    return {"profile_kernels": _profile(rng)} if series % 10 == 0 else {}


def _profile(rng: random.Random) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "calls": 50 * (1 + place),
            "total_ms": round(rng.uniform(1, 90), 2),
            "avg_us": round(rng.uniform(5, 900), 1),
            "pct": round(rng.uniform(0.1, 30), 1),
            "gib_s": round(rng.uniform(10, 400), 1),
        }
        for place, name in enumerate(_KERNELS[: 8 + rng.randrange(4)])
    ]


def write(path: Path, count: int, seed: int = 1) -> int:
    """Write ``count`` rows as JSONL; the file's size in bytes."""
    with path.open("w") as file:
        for row in rows(count, seed):
            file.write(json.dumps(row) + "\n")
    return path.stat().st_size
