"""Task bundles: every field, the id, the bounds, and both producers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from atlas.evals.command import command_from_json, command_from_text
from atlas.evals.task_file import read_task
from atlas.task.correctness import correctness_warnings

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from support.loop import Loop

KERNELS = [
    {"name": "rmsnorm", "calls": 9, "total_ms": 1.0, "avg_us": 9.0, "pct": 10.0},
    {"name": "gemv_residual", "calls": 9, "total_ms": 5.0, "pct": 60.0, "gib_s": 200.0},
]
DISPATCH = {
    "schema": "hipfire.kernel_atlas.dispatch.v0",
    "entries": [
        {
            "name": "gemv_residual",
            "source_files": [{"path": "kernels/gemv.hip"}, {"path": "kernels/old.hip"}],
            "dispatch_refs": [{"path": "src/dispatch.rs", "line": 3}],
            "env_controls": ["HIPFIRE_GEMV_ROWS"],
        }
    ],
}
TASK = {
    *("schema", "task_id", "created_at_utc", "producer", "target", "hot_kernel", "baseline"),
    *("experiment", "constraints", "eval", "cut"),
}
PARTS = {
    "producer": {"kind", "suggestion"},
    "target": {"host", "arch", "workload", "phase", "shape_bucket", "model_size", "quant"},
    "hot_kernel": {
        *("name", "profile", "op", "source_files", "dispatch_refs", "env_controls", "isa_objects"),
    },
    "baseline": {
        *("metrics", "command", "env", "row_env", "stripped_env_keys"),
        *("requires_fresh_baseline", "provenance"),
    },
    "experiment": {
        *("title", "lever_type", "risk", "expected_impact", "rationale", "candidate_steps"),
    },
    "constraints": {"allowed_files"},
    "eval": {
        *("metric", "goal", "benchmark_command", "correctness_commands"),
        "requires_fresh_baseline",
    },
}


def files(loop: Loop, **more: Any) -> tuple[str, ...]:
    row: dict[str, Any] = {
        "schema": "hipfire.kernel_atlas.v0",
        "captured_at_utc": "2026-01-01T00:00:00Z",
        "arch": "gfx1100",
        "hostname": "hippo",
        "git_sha": "3f2a1b4",
        "phase": "decode_ar",
        "workload": "qwen3.5",
        "quant": "mq4",
        "shape_bucket": "decode_ar_pp32_gen50",
        "command": ["./bench.sh", "model"],
        "variant": {
            "env": {"HIPFIRE_KV_MODE": "q8", "HIPFIRE_PROFILE_DECODE": "1", "A_TOKEN": "secret"}
        },
        "provenance": {"visible_devices": "ROCR_VISIBLE_DEVICES=1"},
        "metrics": {"gen_tok_s": 40.0},
        "artifacts": {"profile_kernels": KERNELS},
    }
    path = loop.root.parent / "row.json"
    path.write_text(json.dumps(row | more))
    dispatch = loop.root.parent / "dispatch.json"
    dispatch.write_text(json.dumps(DISPATCH))
    return "--row", str(path), "--dispatch", str(dispatch)


def cut(loop: Loop, *arguments: str) -> dict[str, Any]:
    answer = loop.atlas("task", *arguments)
    assert answer.code == 0, answer.err
    assert answer.json().keys() == {"task_json", "task_md"}
    path = loop.root / answer.json()["task_json"]
    document: dict[str, Any] = json.loads(path.read_text())
    assert read_task(path).task_id == document["task_id"]
    return document


def test_a_task_holds_every_field(loop: Loop) -> None:
    told = cut(loop, *files(loop), "--correctness-command", "make check")
    assert told.keys() == TASK
    for part, fields in PARTS.items():
        assert told[part].keys() == fields, part
    assert told["schema"] == "hipfire.kernel_atlas.task.v0"
    assert re.fullmatch(r"atlas-task-[0-9a-f]{12}", told["task_id"])
    assert told["producer"] == {"kind": "hipfire-atlas-row", "suggestion": {}}
    assert told["hot_kernel"]["name"] == "gemv_residual"
    assert told["hot_kernel"]["op"]["role"] == "residual_gemv"
    assert told["hot_kernel"]["env_controls"] == ["HIPFIRE_GEMV_ROWS"]
    assert told["constraints"]["allowed_files"] == ["kernels/gemv.hip"]
    assert told["experiment"]["title"] == "Optimize gemv_residual"
    assert told["experiment"]["lever_type"] == "source_sweep"
    assert told["baseline"]["stripped_env_keys"] == ["HIPFIRE_PROFILE_DECODE"]
    assert told["baseline"]["env"] == {
        "A_TOKEN": "***",
        "HIPFIRE_KV_MODE": "q8",
        "ROCR_VISIBLE_DEVICES": "1",
    }
    assert told["eval"]["requires_fresh_baseline"] is True
    assert (told["eval"]["metric"], told["eval"]["goal"]) == ("gen_tok_s", "maximize")
    assert told["eval"]["benchmark_command"] == ["./bench.sh", "model"]
    assert told["eval"]["correctness_commands"] == ["make check"]
    assert told["cut"]["git_sha"] == loop.git("rev-parse", "HEAD")
    assert loop.rows("SELECT * FROM events") == [], "a row of a file appends nothing"


def test_task_md_says_the_same_in_plain_words(loop: Loop) -> None:
    answer = loop.atlas("task", *files(loop))
    text = (loop.root / answer.json()["task_md"]).read_text()
    assert "Measured evidence, not promotion proof." in text
    assert "- `kernels/gemv.hip`" in text
    assert "atlas eval --task task.json --runs 4 --refresh-baseline" in text


def test_equal_contracts_have_equal_ids_and_others_do_not(loop: Loop) -> None:
    first = cut(loop, *files(loop))
    assert cut(loop, *files(loop))["task_id"] == first["task_id"]
    assert cut(loop, *files(loop, quant="mq6"))["task_id"] != first["task_id"]
    assert cut(loop, *files(loop), "--task-id", "mine")["task_id"] == "mine"


def test_allowed_files_are_those_passed_from_the_top_of_the_tree(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(loop.root / "kernels")
    told = json.loads(
        (
            loop.root
            / "kernels"
            / loop.atlas("task", *files(loop), "--allowed-file", "gemv.hip").json()["task_json"]
        ).read_text()
    )
    assert told["constraints"]["allowed_files"] == ["kernels/gemv.hip"]


def test_the_dirty_tree_at_the_cut_is_recorded(loop: Loop) -> None:
    loop.write("kernels/gemv.hip", "// mine\n")
    told = cut(loop, *files(loop))
    (file,) = told["cut"]["files"]
    assert (told["cut"]["git_state"], file["path"]) == ("dirty", "kernels/gemv.hip")
    assert len(file["sha256"]) == 64


def test_a_row_of_the_ledger_makes_an_event_that_eval_finds_by_id(loop: Loop) -> None:
    path = files(loop, variant={"env": {}}, artifacts={}, command=["echo", "gen_tok_s=44"])[1]
    assert loop.atlas("ingest", path).code == 0
    told = cut(loop, "arch=gfx1100")
    assert told["experiment"]["title"] == "Optimize qwen3.5"
    assert told["constraints"]["allowed_files"] == []
    assert told["eval"]["requires_fresh_baseline"] is False
    (one,) = loop.rows("SELECT task_id, phase, kernel, metric, allowed_files FROM tasks")
    assert one == {
        "task_id": told["task_id"],
        "phase": "decode_ar",
        "kernel": None,
        "metric": "gen_tok_s",
        "allowed_files": [],
    }
    output = loop.root.parent / "out"
    answer = loop.atlas("eval", "--task", told["task_id"][:16], "--output-dir", str(output))
    assert answer.json() == {"result_path": str(output / "result.json"), "status": "pass"}
    result = json.loads((output / "result.json").read_text())
    assert result["delta"]["speedup"] is None, "the row is of another host"
    assert result["verdict"]["differs"] == ["host"]


def test_a_suggestion_can_not_be_had_without_the_relation(loop: Loop) -> None:
    answer = loop.atlas("task", *files(loop), "--suggestion-rank", "1", "--suggestion-id", "x")
    assert answer.code == 2
    assert "one of them" in answer.err


def test_a_row_that_is_not_there(loop: Loop) -> None:
    answer = loop.atlas("task", *files(loop), "--row-index", "7")
    assert answer.code == 2
    assert "row.json" in answer.err
    assert loop.atlas("task", "x", *files(loop)).code == 2
    assert loop.atlas("task", "--isa", "x").code == 2


def test_task_pytorch(loop: Loop) -> None:
    command = "echo warm && echo 'score: 12.5'"
    words = (
        "--name",
        "softmax",
        "--op",
        "softmax",
        "--input-shape",
        "1x4096",
        "--input-shape",
        "8x16",
    )
    answer = loop.atlas("task-pytorch", *words, "--eval-command", command, "--output-dir", "bundle")
    assert answer.code == 0
    assert "nothing is extracted" in answer.err
    told = json.loads((loop.root / "bundle/task.json").read_text())
    assert told.keys() == TASK
    assert re.fullmatch(r"atlas-pytorch-[0-9a-f]{12}", told["task_id"])
    assert told["producer"]["input_shapes"] == ["1x4096", "8x16"]
    assert told["producer"].keys() == {"kind", "suggestion", "name", "op", "input_shapes", "dtype"}
    assert told["target"]["shape_bucket"] == "1x4096|8x16"
    assert (told["target"]["phase"], told["target"]["quant"]) == ("pytorch_probe", "unknown")
    assert told["hot_kernel"]["op"] == {
        "family": "pytorch",
        "role": "softmax",
        "phase_hint": "probe",
    }
    assert "extracted from PyTorch" in (loop.root / "bundle/TASK.md").read_text()
    result_answer = loop.atlas("eval", "--task", "bundle")
    assert (result_answer.code, result_answer.json()["status"]) == (0, "pass")
    result = json.loads((loop.root / "bundle/result.json").read_text())
    assert result["metrics"] == {"score": 12.5}
    assert result["bounds"]["status"] == "ok", "the bundle lies in the tree and is its own"


def test_correctness_commands_are_doubted(tmp_path: Path) -> None:
    (tmp_path / "check.sh").write_text("")
    given = ["./check.sh", "bash ./gone.sh", "cd /nowhere && ./x", "scripts/coherence-gate-9b.sh"]
    told = correctness_warnings([command_from_json(one, "x") for one in given], tmp_path)
    assert [word for word in ("./gone.sh", "./x", "retired") if word in " ".join(told)] == [
        "./gone.sh",
        "./x",
        "retired",
    ]
    assert not any("check.sh," in one for one in told)
    assert "perf-only" in correctness_warnings([], tmp_path)[0]


def test_typed_commands_are_argv_unless_a_shell_is_needed() -> None:
    assert command_from_text("./bench --n 4").value == ("./bench", "--n", "4")
    for text in ("./bench | tee x", "A=1 ./bench", "./bench $X", "echo 'a b'", "a; b", "a\nb; c"):
        assert command_from_text(text).shell, text
