"""A/B runs of real processes: turns, noise, graph capture, resume."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from atlas.ab.general import AbOptions
from atlas.errors import BadUsage

if TYPE_CHECKING:
    from support.loop import Loop

ROOT = Path(__file__).parents[3]
GRAPH_FIELDS = {
    *("schema", "captured_at_utc", "status", "metric", "target", "command", "row_env", "base_env"),
    *("stripped_env_keys", "graph_off", "graph_on", "delta", "correctness", "provenance"),
}
DELTA_FIELDS = {
    *("metric", "graph_off", "graph_on", "absolute", "lift", "p50_ms_delta", "avg_ms_delta"),
    *("prefill_tok_s_delta", "bw_gib_s_delta"),
}
BENCH = """#!/bin/sh
echo "$HIPFIRE_GRAPH $HIPFIRE_PROFILE" >>"$PWD/order"
rate=50; [ "$HIPFIRE_GRAPH" = 1 ] && rate=55
{
  echo "gpu: gfx1100"
  echo "=== bench_qwen35_mq4 ==="
  echo "KV mode: q8"
  [ "$HIPFIRE_GRAPH" = 1 ] && echo "[hipGraph] captured 12 blobs"
  echo "PREFILL_SUMMARY  prefill_tok_s=700.0  prefill_wall_ms=45.7"
  echo "SUMMARY  gen_tok_s=$rate.0  bw_gib_s=200.0  prefill_tok_s=700.0  avg_ms=20.0  p50_ms=20.0"
} >&2
"""


def row_file(loop: Loop) -> Path:
    row: dict[str, Any] = {
        "schema": "hipfire.kernel_atlas.v0",
        "captured_at_utc": "2026-01-01T00:00:00Z",
        "arch": "gfx1100",
        "hostname": "unknown",
        "git_sha": "unknown",
        "phase": "decode_ar",
        "workload": "qwen3.5",
        "quant": "mq4",
        "shape_bucket": "decode_ar_pp32_gen50",
        "command": ["./graph.sh"],
        "variant": {"env": {"HIPFIRE_KV_MODE": "q8", "HIPFIRE_PROFILE": "1"}},
        "metrics": {"gen_tok_s": 40.0},
    }
    loop.script("graph.sh", BENCH)
    path = loop.root.parent / "row.jsonl"
    path.write_text(json.dumps(row | {"phase": "prefill"}) + "\n" + json.dumps(row) + "\n")
    return path


def test_graph_ab_of_a_row_tells_the_second_pass(loop: Loop) -> None:
    path = row_file(loop)
    arguments = (
        "--row",
        str(path),
        "--row-index",
        "1",
        "--correctness-command",
        "test $HIPFIRE_GRAPH = 1",
    )
    answer = loop.atlas("graph-ab", *arguments)
    assert answer.code == 0, answer.err
    told = answer.json()
    assert told.keys() >= GRAPH_FIELDS
    assert told["delta"].keys() == DELTA_FIELDS
    assert told["delta"]["lift"] == pytest.approx(1.1)
    assert told["delta"]["absolute"] == pytest.approx(5.0)
    assert (loop.root / "order").read_text().split("\n")[:-1] == ["0 ", "0 ", "1 ", "1 "]
    for name in ("graph_off", "graph_on"):
        side = told[name]
        assert [one["pass_index"] for one in side["passes"]] == [1, 2]
        assert side["headline_pass"] == 2
        assert side["metrics"] == side["passes"][1]["metrics"]
    assert told["stripped_env_keys"] == ["HIPFIRE_PROFILE"]
    assert told["base_env"] == {"HIPFIRE_KV_MODE": "q8"}
    assert told["correctness"][0]["returncode"] == 0
    assert told["verdict"]["verdict"] == "insufficient"
    assert told["verdict"]["factor"] == "env:HIPFIRE_GRAPH"
    assert "graph_enabled: False -> True" in told["route_changes"]
    assert "graph_blob_count: None -> 12" in told["route_changes"]


def test_graph_ab_with_runs_on_one_program_gets_a_verdict(loop: Loop) -> None:
    answer = loop.atlas("graph-ab", "--row", str(row_file(loop)), "--runs", "4")
    told = answer.json()
    assert (answer.code, told["verdict"]["verdict"]) == (0, "faster")
    assert told["verdict"]["grade"] == "interleaved"
    assert told["sides"]["a"]["binary_md5"] == told["sides"]["b"]["binary_md5"]
    assert [len(told[name]["passes"]) for name in ("graph_off", "graph_on")] == [5, 5]
    (one,) = loop.rows("SELECT factor, verdict, samples_a, samples_b, phase, lever FROM ab_runs")
    assert one == {
        "factor": "env:HIPFIRE_GRAPH",
        "verdict": "faster",
        "samples_a": [50.0] * 4,
        "samples_b": [55.0] * 4,
        "phase": "decode_ar",
        "lever": "graph",
    }


def test_graph_ab_fails_when_a_pass_lacks_the_metric(loop: Loop) -> None:
    path = row_file(loop)
    loop.script("graph.sh", "#!/bin/sh\necho nothing\n")
    answer = loop.atlas("graph-ab", "--row", str(path))
    assert (answer.code, answer.json()["status"]) == (1, "fail")
    assert "graph_off" in answer.err


def test_a_wrong_answer_with_graph_on_is_incorrect(loop: Loop) -> None:
    arguments = ("--row", str(row_file(loop)), "--runs", "4", "--correctness-command", "false")
    answer = loop.atlas("graph-ab", *arguments)
    assert (answer.code, answer.json()["verdict"]["verdict"]) == (1, "incorrect")


def test_two_commands_in_turn(loop: Loop) -> None:
    arguments = ("--a", "echo score=10", "--b", "echo score=12", "--metric", "score")
    answer = loop.atlas("ab", *arguments, "--pairs", "8", "--json")
    told = answer.json()
    assert (answer.code, told["factor"], told["order"]) == (0, "code", "abba")
    assert told["verdict"]["verdict"] == "faster"
    assert told["delta"]["lift"] == pytest.approx(1.2)
    assert [one["arm"] for one in told["runs"]] == ["a", "b", "b", "a"] * 4


def test_latency_is_better_when_it_is_smaller(loop: Loop) -> None:
    arguments = ("--a", "echo x_ms=10", "--b", "echo x_ms=12", "--metric", "x_ms")
    told = loop.atlas("ab", *arguments, "--pairs", "4", "--order", "ab", "--json").json()
    assert (told["goal"], told["verdict"]["verdict"]) == ("minimize", "slower")
    assert told["verdict"]["ratio"] == pytest.approx(10 / 12)


def test_one_variable_is_the_factor(loop: Loop) -> None:
    loop.script("k.sh", '#!/bin/sh\necho "score=$HIPFIRE_GEMV_ROWS"\n')
    arguments = (
        "--a",
        "./k.sh",
        "--env-a",
        "HIPFIRE_GEMV_ROWS=10",
        "--env-b",
        "HIPFIRE_GEMV_ROWS=20",
    )
    answer = loop.atlas(
        "ab", *arguments, "--metric", "score", "--order", "ab", "--pairs", "4", "--json"
    )
    told = answer.json()
    assert (told["factor"], told["verdict"]["verdict"]) == ("env:HIPFIRE_GEMV_ROWS", "faster")


def test_aa_pairs_are_the_hosts_noise_and_the_floor_of_later_verdicts(loop: Loop) -> None:
    loop.scores(100, 104, 103, 100, 100, 103, 104, 100)
    quiet = ("--metric", "score", "--order", "ab", "--pairs", "4")
    told = loop.atlas("ab", "--a", "./bench.sh", "--aa", *quiet, "--json").json()
    assert (told["factor"], told["aa"]) == ("aa", True)
    (floor,) = loop.atlas("query", "noise-floor", "--json").json()
    assert (floor["source"], floor["aa_pairs"], floor["metric"]) == ("A/A", 4, "score")
    assert floor["aa_pair_sd_pct"] > 3
    (noise,) = loop.rows("SELECT s, s_paired, runs, turns FROM aa_noise")
    assert (noise["runs"], noise["turns"]) == (8, 4)

    arguments = ("--a", "echo score=100", "--b", "echo score=102", *quiet, "--json")
    told = loop.atlas("ab", *arguments).json()
    assert told["verdict"]["s"] == pytest.approx(noise["s_paired"])
    assert told["verdict"]["verdict"] != "faster"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"is_aa": True, "b": "echo score=2"},
        {"b": "echo score=2", "pairs": 3},
        {"b": "echo score=2", "cwd": Path("nowhere")},
    ],
)
def test_what_does_not_fit_together_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadUsage):
        AbOptions(**{"a": "echo score=1", "metric": "score", "cwd": Path(), **given}).check()


def test_a_killed_ab_is_resumed(loop: Loop) -> None:
    body = "echo b >>turns; [ $(wc -l <turns) = 3 ] && kill -9 $PPID; echo score=9"
    arguments = ("ab", "--a", "./bench.sh", "--b", body, "--metric", "score")
    arguments = (*arguments, "--pairs", "4", "--order", "ab")
    killed = subprocess.run(
        [sys.executable, "-m", "atlas", "--ledger", str(loop.ledger), *arguments],
        cwd=loop.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert loop.rows("SELECT arm, count(*) AS n FROM eval_run GROUP BY arm ORDER BY arm") == [
        {"arm": "a", "n": 3},
        {"arm": "b", "n": 2},
    ]
    answer = loop.atlas(*arguments, "--resume", "--json")
    assert answer.code == 0
    assert len(answer.json()["runs"]) == 8
    assert (loop.root / "calls").read_text() == "4\n"
    (one,) = loop.rows("SELECT samples_b, len(parts) AS parts FROM ab_runs")
    assert one == {"samples_b": [9.0] * 4, "parts": 8}
