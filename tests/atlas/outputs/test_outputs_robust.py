"""Damaged, huge and hostile output: the right value or a finding, never a cut number."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.outputs import read_output
from atlas.outputs.metric import find_metric
from atlas.outputs.numbers import number
from atlas.outputs.text import decode

SUMMARY = "SUMMARY  gen_tok_s=121.2 bw_gib_s=515.0 prefill_tok_s=776.7 avg_ms=8.25 p50_ms=8.20"
TEXT = f"=== bench_qwen35_mq4 ===\nGPU: gfx1100\nµ τ\n{SUMMARY}\n"


def decode_row(data: bytes) -> dict[str, object]:
    (segment,) = read_output(data).segments
    return next(o.metrics for o in segment.observations if o.phase == "decode_ar")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        ("-1.5", -1.5),
        ("1.5e-3", 0.0015),
        ("41,2", 41.2),
        ("0,559", 0.559),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1,234,567", 1234567),
        ("10254263892362831541", 10254263892362831541),
        ("NaN", "NaN"),
        ("-inf", "-inf"),
        ("1e999", "1e999"),
        ("1,234", None),
        ("0.", None),
        ("1e", None),
        ("1.2.3", None),
        ("9" * 5000, None),
        ("", None),
        ("12abc", None),
    ],
)
def test_numbers_are_read_right_or_refused(text: str, value: float | str | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.encode("utf-16"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("SUMMARY", "\x1b[1;32mSUMMARY\x1b[0m").encode(),
        TEXT.replace("SUMMARY", "\x1b]0;title\x07SUMMARY").encode(),
        TEXT.replace("gen_tok_s", "\0gen_tok_s").encode(),
        TEXT.replace("SUMMARY", "load 10%\rload 20%\rSUMMARY").encode(),
        TEXT.replace("SUMMARY", "The end.SUMMARY").encode(),
        TEXT.replace(" avg_ms", "  [graph] noise avg_ms").encode(),
        TEXT.replace("121.2", "121,2").encode(),
        TEXT.replace("121.2", "1.212e2").encode(),
    ],
)
def test_every_encoding_of_a_summary_reads_the_same(data: bytes) -> None:
    metrics = decode_row(data)
    assert metrics == {"gen_tok_s": 121.2, "bw_gib_s": 515.0, "avg_ms": 8.25, "p50_ms": 8.2}


def test_ambiguous_thousands_are_refused_with_a_finding() -> None:
    (segment,) = read_output(TEXT.replace("121.2", "1,212").encode()).segments
    assert "ambiguous_number" in {f.code for f in segment.findings}
    assert [e.reason for e in segment.errors] == ["missing_keys"]


def test_a_text_that_ends_inside_a_number() -> None:
    (segment,) = read_output(TEXT.rstrip()[:-2].encode()).segments
    assert "number_cut" in {f.code for f in segment.findings}
    reading = read_output(TEXT.rstrip().encode())
    assert [f.code for f in reading.findings] == ["unterminated_last_line"]


def test_an_endless_line_is_skipped_and_the_rest_read() -> None:
    data = b"x=" + b"1" * 50_000_000 + b"\n" + TEXT.encode()
    assert decode_row(data)["gen_tok_s"] == 121.2
    assert [f.code for f in read_output(data).findings] == ["line_too_long"]


def test_line_numbers_survive_long_lines() -> None:
    data = b"a\n" + b"y" * 3_000_000 + b"\n" + TEXT.encode()
    (segment,) = read_output(data).segments
    assert segment.first_line == 3


def test_a_large_log_is_read_whole() -> None:
    # A tenth of 200 MB; the bound of 20 s for those is kept with room to spare on a shared machine.
    noise = b"step 12 of the loop took 97% of 3 items and says nothing more\n" * 160_000
    start = time.monotonic()
    assert decode_row(noise + TEXT.encode() + noise)["gen_tok_s"] == 121.2
    assert time.monotonic() - start < 20


def test_findings_of_a_garbage_log_are_bounded() -> None:
    bad = b"  run  1: 1,234ms  776.7 tok/s\n" * 1000
    (segment,) = read_output(TEXT.encode() + bad).segments
    assert len(segment.findings) == 201
    assert segment.findings[-1].code == "findings_cut"


def test_decode_gives_clean_lines() -> None:
    text, findings = decode(b"a\x1b[31mb\x1b[0m\r\nc\rd\n\xff\n")
    assert text == "ab\nc\nd\n\ufffd"
    assert [f.code for f in findings] == ["encoding_replaced"]


@pytest.mark.parametrize(
    ("text", "metric", "value"),
    [
        (SUMMARY, "gen_tok_s", 121.2),
        (f"gen_tok_s=1\n{SUMMARY}\ngen_tok_s=2\n", "gen_tok_s", 121.2),
        ("=== BENCH METRICS ===\ndecode_tok_s: 5.5\ndecode_tau: 2\n====\n", "tau", 2.0),
        ("score=1\nscore=2.5\n", "score", 2.5),
        ("score: 1\nmy_score: 9\nscore: 3 ms\n", "score", 3.0),
        ("score=1.\n", "score", None),
        ("score=nan\n", "score", None),
        ('{"a": 1}\n{"score": 4.5}\n', "score", 4.5),
        ('{\n "score": 7\n}', "score", 7.0),
        ("nothing", "score", None),
        ("score=6\n" + "noise line\n" * 100_000, "score", 6.0),
    ],
)
def test_metric_lookup(text: str, metric: str, value: float | str | None) -> None:
    assert find_metric(text, metric) == value


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.binary(max_size=400))
def test_arbitrary_bytes_never_raise(data: bytes) -> None:
    assert read_output(data).as_json().keys() == {"segments", "findings"}
    assert read_output(data, hint="dflash").segments


MIXED = (
    TEXT
    + "=== dflash_spec_demo ===\n=== BENCH METRICS ===\ndecode_tok_s: 5.5\ndecode_tau: 2,1\n=====\n"
    + "histogram: [(0, 1)]\ncycles: 1  committed: 2  accepted: 3  τ=1.0\n"
    + "=== PROFILE: 8 kernel calls over 2 cycles, 3ms total kernel time ===\n k  3 1.0 3 1% 2.0\n"
    + "hipfire bench\n run 1/3 pp 1 tok/s | TTFT 2 ms | decode 3 tok/s (4 tok)\n"
).encode()


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(MIXED)), st.binary(max_size=4)), max_size=6))
def test_mutated_formats_never_raise(edits: list[tuple[int, bytes]]) -> None:
    data = MIXED
    for at, piece in edits:
        data = data[:at] + piece + data[at + 1 :]
    segments = read_output(data, hint="bench").segments
    assert all(a.first_line <= b.first_line for a, b in pairwise(segments))
