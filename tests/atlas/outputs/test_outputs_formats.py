"""Readings of every format a bench or demo prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlas.outputs import Segment, read_output

CASES = Path(__file__).parents[4] / "shared/cases/inputs"

BENCH = """\
=== bench_qwen35_mq4 ===
Model: /models/small.mq4
Phases: prefill=32 prefill_runs=3 warmup=2 gen=64
GPU dev 0: gfx1100 (25.8 GB VRAM, HIP 7.2)
Model size: 4.25 GiB (4563402752 bytes)
GPU: gfx1100
KV mode: Asym3
=== prefill (32 tokens) ===
  run  1: 41.2ms  776.7 tok/s
  run  2: 41.0ms  780.5 tok/s
  run  3: 41.4ms  772.9 tok/s
  median: 41.2 ms  776.7 tok/s
PREFILL_SUMMARY  prefill_tok_s=776.7 prefill_wall_ms=41.2 cold_overhead_pct=3.1
[hipGraph] captured 604 blobs
per-token ms:
  min=8.01 p50=8.20 avg=8.25 p90=8.60 p99=9.10 max=9.90
SUMMARY  gen_tok_s=121.2 bw_gib_s=515.0 prefill_tok_s=776.7 avg_ms=8.25 p50_ms=8.20
"""

DFLASH = """\
=== dflash_spec_demo ===
target: /models/small.mq4
draft:  /models/draft.hfq
gpu: gfx1151
kv_mode: Asym3
--- OUTPUT ---
tau: 99
decode_tok_s: 1
--------------
emitted: 100 tokens in 2.00s  (50.00 tok/s)
cycles: 20  committed: 110  accepted: 90  τ=4.500  mean_committed=5.500
=== BENCH METRICS ===
prompt_tokens: 200
prefill_tok_s: 900.5
decode_tokens_emitted: 100
decode_secs: 2.0012
decode_tok_s: 49.97
decode_tau: 4.5012
=====================
histogram: [(0, 12), (1, 30)]
"""


def only(text: str) -> Segment:
    (segment,) = read_output(text.encode()).segments
    return segment


def codes(segment: Segment) -> set[str]:
    return {finding.code for finding in segment.findings}


def test_bench_gives_prefill_and_decode_rows() -> None:
    segment = only(BENCH)
    prefill, decode = segment.observations
    assert (prefill.phase, prefill.shape_bucket) == ("prefill", "pp32")
    assert prefill.samples["prefill_ms"] == [41.2, 41.0, 41.4]
    assert prefill.metrics["prefill_tok_s"] == 776.7
    assert prefill.tags == ()
    assert decode.shape_bucket == "decode_ar_pp32_gen64"
    assert decode.metrics == {
        "gen_tok_s": 121.2,
        "bw_gib_s": 515.0,
        "avg_ms": 8.25,
        "p50_ms": 8.2,
        "min_ms": 8.01,
        "p90_ms": 8.6,
        "p99_ms": 9.1,
        "max_ms": 9.9,
        "gen_tokens": 64,
    }
    assert segment.facts["model_bytes"] == 4563402752
    assert segment.facts["kv_mode"] == "asym3"
    assert segment.facts["graph_blob_count"] == 604


def test_a_crash_after_prefill_keeps_the_prefill_row() -> None:
    segment = only(BENCH[: BENCH.index("per-token")])
    assert [o.phase for o in segment.observations] == ["prefill"]
    assert [e.reason for e in segment.errors] == ["missing_summary"]


def test_zero_tokens_are_an_error_and_no_decode_row() -> None:
    segment = only(BENCH.replace("gen_tok_s=121.2", "gen_tok_s=0.0"))
    assert [o.phase for o in segment.observations] == ["prefill"]
    assert [e.reason for e in segment.errors] == ["zero_tokens"]


@pytest.mark.parametrize("key", ["gen_tok_s", "bw_gib_s", "avg_ms", "p50_ms"])
def test_all_keys_of_a_summary_are_required(key: str) -> None:
    start = BENCH.index("SUMMARY  gen")
    segment = only(BENCH[:start] + BENCH[start:].replace(f"{key}=", "x="))
    assert [e.reason for e in segment.errors] == ["missing_keys"]


def test_the_last_summary_counts_with_a_finding() -> None:
    later = "SUMMARY gen_tok_s=1.5 bw_gib_s=2.5 prefill_tok_s=3.5 avg_ms=4.5 p50_ms=5.5\n"
    segment = only(BENCH + later)
    assert segment.observations[1].metrics["gen_tok_s"] == 1.5
    assert "several_summaries" in codes(segment)


def test_a_summary_wrapped_over_two_lines_joins() -> None:
    segment = only(BENCH.replace(" avg_ms", "\n         avg_ms"))
    assert segment.observations[1].metrics["p50_ms"] == 8.2


def test_a_number_broken_over_two_lines_is_refused() -> None:
    segment = only(BENCH.replace("p50_ms=8.20", "p50_ms=8\n.20"))
    assert "number_cut" in codes(segment)
    assert [e.reason for e in segment.errors] == ["missing_keys"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("run  1: 41.2ms", "run  1: 90.0ms"),
        ("cold_overhead_pct=3.1", "cold_overhead_pct=20.5"),
        ("  run  2", "JIT: building kernel\n  run  2"),
    ],
)
def test_cold_prefill_is_tagged(old: str, new: str) -> None:
    prefill, decode = only(BENCH.replace(old, new)).observations
    assert prefill.tags == ("cold",)
    assert decode.tags == ()


def test_not_finite_numbers_stay_text() -> None:
    segment = only(BENCH.replace("bw_gib_s=515.0", "bw_gib_s=inf"))
    assert segment.observations[1].metrics["bw_gib_s"] == "inf"
    assert "metric_not_finite" in codes(segment)


def test_profile_and_coverage_hang_on_their_phases() -> None:
    extra = """\
=== PROFILE (3 launches, 12.0 ms wall) ===
  gemm_a   2x  8.0ms  (4000us/call)  80.0%  20.5 GiB/s
  void norm<int, 4>   1x  2.0ms  (2000µs/call)  20.0%  10.0 GiB/s
  TOTAL (serialized)  10.0ms
=== ROCPROF COVERAGE (74.0%) ===
rocprof total: 20.0 ms (5 kernels seen)
internal total: 14.8 ms
blindspot total: 5.2 ms (1 un-tracked kernels)
BLINDSPOTS
  hidden_kernel 4x 5.2ms 26.0%
"""
    segment = only(BENCH + extra)
    prefill, decode = segment.observations
    assert [k.name for k in prefill.profile.kernels] == ["gemm_a", "void norm<int, 4>"]
    assert prefill.profile.kernels[0].avg_us == 4000
    assert prefill.metrics["rocprof_blindspot_count"] == 1
    assert [k.name for k in prefill.coverage.kernels] == ["hidden_kernel"]
    assert prefill.tags == ("BLINDSPOT", "profiled")
    assert decode.tags == ("profiled",)
    assert "coverage_low" in codes(segment)


def test_dflash_block_beats_prose_and_generated_text() -> None:
    segment = only(DFLASH)
    (row,) = segment.observations
    assert row.phase == "decode_dflash"
    assert row.metrics["tau"] == 4.5012
    assert row.metrics["decode_tok_s"] == 49.97
    assert row.metrics["emitted_tokens"] == 100
    assert row.metrics["accepted"] == 90
    assert row.histogram == [[0, 12], [1, 30]]
    assert row.tags == ()


def test_dflash_falls_back_to_prose() -> None:
    (row,) = only(DFLASH[: DFLASH.index("=== BENCH")]).observations
    assert (row.metrics["tau"], row.metrics["decode_tok_s"]) == (4.5, 50.0)


def test_a_demo_prefill_slower_than_its_decode_is_cold() -> None:
    (row,) = only(DFLASH.replace("prefill_tok_s: 900.5", "prefill_tok_s: 25.4")).observations
    assert row.tags == ("cold",)


@pytest.mark.parametrize(("before", "tags"), [("kv_mode", ()), ("--- OUTPUT", ("cold",))])
def test_compiling_counts_only_while_the_clock_runs(before: str, tags: tuple[str, ...]) -> None:
    text = DFLASH.replace("--- OUTPUT", "seeding from prompt (200 tokens)...\n--- OUTPUT")
    (row,) = only(text.replace(before, f"compiling kernel gemm\n{before}")).observations
    assert row.tags == tags


def test_metrics_are_found_when_the_output_is_never_closed() -> None:
    (row,) = only(DFLASH.replace("--------------\n", "")).observations
    assert row.metrics["tau"] == 4.5012


def test_ar_baseline_is_a_decode_ar_row() -> None:
    text = DFLASH.replace("kv_mode", "AR-BASELINE MODE\nkv_mode").replace("4.5012", "1.0000")
    (row,) = only(text).observations
    assert (row.phase, row.tags) == ("decode_ar", ("ar_baseline",))


def test_segments_are_cut_at_headers() -> None:
    reading = read_output((BENCH + DFLASH + BENCH).encode())
    assert [s.program for s in reading.segments] == [
        "bench_qwen35_mq4",
        "dflash_spec_demo",
        "bench_qwen35_mq4",
    ]


def test_a_tie_of_cards_is_no_arch() -> None:
    segment = only("GPU: gfx1010\nGPU: gfx1151\n" + BENCH[BENCH.index("SUMMARY  gen") :])
    assert segment.facts["archs"] == ["gfx1010", "gfx1151"]
    assert "arch" not in segment.facts
    assert "arch_ambiguous" in codes(segment)


def test_a_hint_turns_nothing_into_an_error() -> None:
    assert not read_output(b"hello\n").understood
    (bench,) = read_output(b"hello\n", hint="bench").segments
    (dflash,) = read_output(b"", hint="dflash").segments
    assert [bench.errors[0].reason, dflash.errors[0].reason] == ["missing_summary", "missing_keys"]


def test_hipfire_bench_runs_and_sweep() -> None:
    text = """\
KV cache: asym3 (K 3b)
hipfire bench
  gpu:       gfx1100  (HIP 7.2)
  prefill: pp128=603 pp512=592
  run 1/3 pp 169 tok/s | TTFT 119 ms | decode 122.2 tok/s (128 tok)
  run 2/3 pp 416 tok/s | TTFT 48 ms | decode 122.5 tok/s (128 tok)
"""
    segment = only(text)
    assert segment.facts["kv_mode"] == "asym3"
    assert [(o.phase, o.shape_bucket, o.run_index, o.tags) for o in segment.observations] == [
        ("prefill", "pp128", None, ()),
        ("prefill", "pp512", None, ()),
        ("prefill", None, 1, ("cold",)),
        ("decode_ar", None, 1, ("cold",)),
        ("prefill", None, 2, ()),
        ("decode_ar", None, 2, ()),
    ]


def test_the_device_of_a_command_line_and_a_cut_cell() -> None:
    text = """\
HIP_VISIBLE_DEVICES=1 ./hipfire bench small --runs 5
     mean   min   max   stdev
  Decode tok/s  124.4 124.3 124.5 0.
"""
    segment = only(text)
    assert segment.facts["device_index"] == 1
    assert segment.observations[0].metrics == {
        "gen_tok_s": 124.4,
        "gen_tok_s_min": 124.3,
        "gen_tok_s_max": 124.5,
    }
    assert codes(segment) == {"number_cut"}


def test_chat_answers_are_decode_rows() -> None:
    segment = only("GPU: gfx906\n\x1b[2m(12 tokens, 23.9 tok/s)\x1b[0m\n(0 tokens, 0.0 tok/s)\n")
    (row,) = segment.observations
    assert (row.phase, row.metrics) == ("decode_ar", {"gen_tokens": 12, "gen_tok_s": 23.9})


def test_readings_serialise() -> None:
    import json

    data = json.loads(json.dumps(read_output((BENCH + DFLASH).encode()).as_json()))
    assert data["segments"][0]["observations"][0]["shape_bucket"] == "pp32"


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("01", [("decode_dflash", "decode_tok_s", 39.33)]),
        ("02", [("decode_dflash", "decode_tok_s", 67.81)]),
        ("03", [("decode_dflash", "tau", 13.1818)]),
        ("25", [("decode_ar", "gen_tok_s", 23.9)]),
        ("28", [("prefill", "prefill_tok_s", 41.6), ("decode_ar", "p50_ms", 23.22)]),
        ("29", [("prefill", "prefill_tok_s", 1082.8), ("prefill", "prefill_tok_s", 469.3)]),
        ("37", []),
        ("41", []),
    ],
)
def test_public_cases(case: str, expected: list[tuple[str, str, float]]) -> None:
    files = list(CASES.glob(f"{case}-*"))
    if not files:
        pytest.skip("the folder of public cases is not beside this repository")
    reading = read_output(files[0].read_bytes())
    rows = [o for s in reading.segments for o in s.observations]
    got = [
        (o.phase, name, o.metrics.get(name)) for o, (_, name, _) in zip(rows, expected, strict=True)
    ]
    assert got == expected
    assert reading.understood == bool(expected)
