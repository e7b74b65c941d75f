"""How runs are made: whole output, environment, order, and nothing lost by a kill."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.loop import Loop

from atlas.errors import BadInput, BadUsage
from atlas.evals.options import EvalOptions
from atlas.evals.task_file import read_task

ROOT = Path(__file__).parents[3]


def test_a_metric_printed_100_000_lines_before_the_end_is_found(loop: Loop) -> None:
    body = "echo score=42; awk 'BEGIN { for (i = 0; i < 100000; i++) print \"line\", i }'"
    code, result = loop.eval(loop.task(eval={"benchmark_command": body}))
    assert (code, result["status"]) == (0, "pass")
    assert result["metrics"] == {"score": 42.0}
    assert "score=42" not in result["benchmark"]["output_tail"]
    (run,) = loop.rows(
        "SELECT n_bytes FROM output WHERE event_id IN (FROM (SELECT event_id FROM eval_run))"
    )
    assert run["n_bytes"] > 1_000_000


def test_text_and_older_argv_with_operators_are_run_by_bash(loop: Loop) -> None:
    text = loop.task(eval={"benchmark_command": "cd kernels && echo score: 7 | cat"})
    _, result = loop.eval(text)
    assert (result["metrics"], result["benchmark"]["shell"]) == ({"score": 7.0}, True)
    words = ["cd", "kernels", "&&", "echo", "a  b score=8", "|", "cat"]
    _, result = loop.eval(loop.task(eval={"benchmark_command": words}))
    assert (result["metrics"], result["benchmark"]["shell"]) == ({"score": 8.0}, True)
    assert "a  b" in result["benchmark"]["output_tail"]


def test_an_argv_never_meets_a_shell(loop: Loop) -> None:
    argv = ["echo", "score=9", "$(touch pwned)", "`touch pwned`"]
    _, result = loop.eval(loop.task(eval={"benchmark_command": argv}))
    assert (result["metrics"], result["benchmark"]["shell"]) == ({"score": 9.0}, False)
    assert not (loop.root / "pwned").exists()


def test_the_environment_is_the_contracts(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIPFIRE_PROFILE", "1")
    monkeypatch.setenv("HIPFIRE_GEMV_ROWS", "8")
    monkeypatch.setenv("HIPFIRE_HUB_TOKEN", "inherited-secret")
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "3")
    env = {"HIPFIRE_KV_MODE": "q8", "ROCR_VISIBLE_DEVICES": "1", "HIPFIRE_HUB_TOKEN": "***"}
    command = (
        "echo score=$((HIPFIRE_PROFILE + HIPFIRE_GEMV_ROWS + HIP_VISIBLE_DEVICES * 10"
        " + ROCR_VISIBLE_DEVICES)) && test ${#HIPFIRE_HUB_TOKEN} = 16 && env"
    )
    task = loop.task(baseline={"env": env}, eval={"benchmark_command": command})
    code, result = loop.eval(task)
    assert (code, result["metrics"]) == (0, {"score": 1.0})
    assert result["unset_env"] == ["HIPFIRE_GEMV_ROWS", "HIPFIRE_PROFILE", "HIP_VISIBLE_DEVICES"]
    assert "inherited-secret" not in task.with_name("result.json").read_text()
    (run,) = loop.rows("SELECT env, visible, profiled FROM eval_run")
    assert run["env"] == ["HIPFIRE_HUB_TOKEN=***", "HIPFIRE_KV_MODE=q8", "ROCR_VISIBLE_DEVICES=1"]
    assert (run["visible"], run["profiled"]) == ("ROCR_VISIBLE_DEVICES=1", False)


def test_a_command_that_profiles_itself_makes_no_baseline(loop: Loop) -> None:
    task = loop.task(eval={"benchmark_command": "HIPFIRE_PROFILE=1 ./bench.sh"})
    code, result = loop.eval(task, "--runs", "4", "--refresh-baseline")
    assert (code, result["status"]) == (1, "needs_baseline")
    assert "profiled" in result["reasons"][0]


def test_a_prompt_file_is_sent_as_text_and_has_to_be_the_rows(loop: Loop) -> None:
    loop.write("p.txt", "score=5 two\nlines")
    command = ["printf", "%s\n", "--prompt", "@p.txt"]
    task = loop.task(
        eval={"benchmark_command": command},
        baseline={"provenance": {"prompt_md5": "c4f0ba0ed2a1fbdcd2c5cdd4ea7b2a7f"}},
    )
    answer = loop.atlas("eval", "--task", str(task))
    assert answer.code == 2
    assert "p.txt has md5" in answer.err
    assert not (task.parent / "result.json").exists()
    allowed = {"allowed_files": ["p.txt"]}
    code, result = loop.eval(loop.task(eval={"benchmark_command": command}, constraints=allowed))
    assert (code, result["metrics"]) == (0, {"score": 5.0})
    assert result["benchmark"]["command"] == command


@pytest.mark.parametrize(
    ("order", "turns"),
    [("ab", "baseline candidate " * 4), ("abba", "baseline candidate candidate baseline " * 2)],
)
def test_sides_take_turns(loop: Loop, order: str, turns: str) -> None:
    loop.write("old.sh", "echo baseline >>turns; echo score=100\n")
    loop.write("new.sh", "echo candidate >>turns; echo score=110\n")
    task = loop.task(
        eval={"benchmark_command": ["sh", "new.sh"]},
        constraints={"allowed_files": ["old.sh", "new.sh"]},
    )
    arguments = ("--interleave", order, "--baseline-command", "sh old.sh", "--runs", "4")
    code, result = loop.eval(task, *arguments)
    assert (code, result["baseline"]["source"]) == (0, "interleaved")
    assert (loop.root / "turns").read_text().split() == turns.split()
    assert result["verdict"]["grade"] == "interleaved"
    expected = "faster" if order == "ab" else "insufficient"
    assert result["verdict"]["verdict"] == expected
    assert [arm["name"] for arm in result["arms"]] == ["baseline", "candidate"]
    assert len(result["baseline_runs"]) == 4


def test_a_worktree_can_be_the_baseline_and_equal_programs_are_seen(loop: Loop) -> None:
    program = loop.root / "score"
    source = loop.write("score.c", '#include <stdio.h>\nint main(void){puts("score=3");}\n')
    subprocess.run(["cc", "-o", str(program), str(source)], check=True)
    loop.commit("a program")
    other = loop.root.parent / "worktree"
    loop.git("worktree", "add", "-q", str(other), "HEAD")
    task = loop.task(eval={"benchmark_command": ["./score"]})
    arguments = ("--interleave", "ab", "--baseline-worktree", str(other), "--runs", "4")
    _, result = loop.eval(task, *arguments)
    assert result["verdict"]["verdict"] == "identical_binary"
    assert result["arms"][0]["cwd"] == str(other)
    assert result["side"]["binary_md5"] == result["baseline"]["binary_md5"]


def test_killed_after_run_3_of_5_and_resumed_ends_with_5_runs(loop: Loop) -> None:
    body = (
        "echo $$ >pid; echo call >>calls;"
        " if [ $(wc -l <calls) = 4 ] && [ ! -e go ]; then exec sleep 60; fi; echo score=10"
    )
    task = loop.task(
        eval={"benchmark_command": body, "correctness_commands": ["echo x >>checked"]},
        constraints={"allowed_files": ["go", "checked", "pid"]},
    )
    words = ("--ledger", str(loop.ledger), "eval", "--task", str(task), "--runs", "5")
    process = subprocess.Popen(
        [sys.executable, "-m", "atlas", *words],
        cwd=loop.root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _wait_for_calls(loop.root / "calls", 4)
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.kill(int((loop.root / "pid").read_text()), signal.SIGKILL)
    assert len(loop.rows("SELECT * FROM eval_run WHERE role = 'measured'")) == 3

    loop.write("kernels/gemv.hip", "// edited in between\n")
    answer = loop.atlas("eval", "--task", str(task), "--runs", "5", "--resume")
    assert answer.code == 1
    assert "one series of two programs" in answer.err
    loop.git("checkout", "-q", "--", "kernels")
    (loop.root / "calls").write_text("call\n" * 10)
    code, result = loop.eval(task, "--runs", "5", "--resume")
    assert (code, result["status"]) == (0, "pass")
    assert result["samples"] == [10.0] * 5
    assert (loop.root / "checked").read_text() == "x\n", "checked once, before the kill"
    assert len(loop.rows("SELECT * FROM eval_run WHERE role = 'measured'")) == 5
    (one,) = loop.rows("SELECT runs, correct FROM evals")
    assert one == {"runs": 5, "correct": True}
    answer = loop.atlas("eval", "--task", str(task), "--resume")
    assert "nothing to resume" in answer.err


def _wait_for_calls(path: Path, count: int) -> None:
    for _ in range(400):
        if path.exists() and len(path.read_text().splitlines()) >= count:
            return
        time.sleep(0.05)
    raise AssertionError("the benchmark did not come that far")


@pytest.mark.parametrize(
    "given",
    [
        {"interleave": "ab"},
        {"baseline_command": "true"},
        {"interleave": "ab", "baseline_command": "true", "baseline_worktree": Path()},
        {"interleave": "abba", "baseline_command": "true", "runs": 3},
        {"interleave": "ab", "baseline_command": "true", "refresh_baseline": True},
        {"refresh_baseline": True, "baseline": "x"},
        {"cwd": Path("nowhere")},
    ],
)
def test_what_does_not_fit_together_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadUsage):
        EvalOptions(**{"output_dir": Path(), "cwd": Path(), **given}).check()


@pytest.mark.parametrize("name", ["--task", "--baseline"])
def test_what_is_not_there_is_refused_before_anything_runs(loop: Loop, name: str) -> None:
    answer = loop.atlas("eval", "--task", str(loop.task()), name, "no-such-thing")
    assert answer.code == 2
    assert answer.err.startswith("atlas: ")
    assert not (loop.root / "calls").exists()


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"schema": "other"}, "no task"),
        ({"eval": {"metric": ""}}, "eval.metric"),
        ({"eval": {"goal": "best"}}, "eval.goal"),
        ({"eval": {"benchmark_command": []}}, "no command"),
        ({"eval": {"correctness_commands": "make"}}, "correctness_commands"),
        ({"baseline": {"env": []}}, "baseline.env"),
        ({"task_id": None}, "task_id"),
    ],
)
def test_a_broken_task_is_refused_with_its_field(
    loop: Loop, part: dict[str, object], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        read_task(loop.task(**part))
