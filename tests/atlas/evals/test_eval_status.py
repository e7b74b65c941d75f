"""Every status of an eval with its exit code, by running real processes."""

import json
from pathlib import Path

import pytest
from support.loop import Loop

RESULT_FIELDS = {
    *("schema", "task_id", "captured_at_utc", "status", "metric", "metrics", "summary"),
    *("delta", "stability", "baseline", "correctness", "warmup_runs", "benchmark_runs"),
    *("benchmark", "provenance", "verdict", "bounds"),
}
SUMMARY_FIELDS = {"count", "median", "mean", "min", "max", "stdev", "mad", "rel_spread"}
RUN_FIELDS = {"command", "shell", "returncode", "output_tail", "metrics"}
BASELINE_FIELDS = {
    *("schema", "task_id", "captured_at_utc", "metric", "metrics", "summary", "stability"),
    *("run_count", "warmup_run_count"),
}
LINE_FIELDS = {
    *("task_id", "captured_at_utc", "status", "metric", "metrics", "summary", "stability"),
    *("baseline_source", "speedup", "diff_md5"),
}


def test_pass_against_the_tasks_own_numbers_is_a_reference_and_no_verdict(loop: Loop) -> None:
    loop.scores(100, 101, 102)
    task = loop.task(eval={"correctness_commands": ["test -f bench.sh"]})
    code, result = loop.eval(task, "--runs", "2", "--warmup-runs", "1")
    assert (code, result["status"]) == (0, "pass")
    assert result["baseline"]["source"] == "task"
    assert result["delta"]["speedup"] == pytest.approx(101.5 / 50)
    assert result["verdict"]["verdict"] == "insufficient"
    assert result["verdict"]["ratio"] is None
    assert result["bounds"]["status"] == "ok"
    assert [one["metrics"] for one in result["warmup_runs"]] == [{"score": 100.0}]
    assert result["samples"] == [101.0, 102.0]
    assert result.keys() >= RESULT_FIELDS
    assert result["summary"]["score"].keys() == SUMMARY_FIELDS
    assert result["stability"].keys() == {"status", "max_rel_spread", "rel_spread"}
    assert result["benchmark"].keys() >= RUN_FIELDS
    assert result["benchmark"] == result["benchmark_runs"][-1]
    assert result["provenance"].keys() >= {"git_sha", "git_dirty", "diff_md5", "binary_md5"}
    (line,) = (task.parent / "ledger.jsonl").read_text().splitlines()
    assert json.loads(line).keys() >= LINE_FIELDS
    assert not (task.parent / "baseline.json").exists()


def test_stdout_is_what_scripts_read(loop: Loop) -> None:
    answer = loop.atlas("eval", "--task", str(loop.task()))
    assert answer.json().keys() == {"result_path", "status"}
    assert Path(answer.json()["result_path"]).exists()


def test_a_failing_correctness_command_fails_and_the_benchmark_still_runs(loop: Loop) -> None:
    task = loop.task(eval={"correctness_commands": ["echo wrong answer; exit 3"]})
    code, result = loop.eval(task)
    assert (code, result["status"]) == (1, "fail")
    assert result["correctness"][0]["returncode"] == 3
    assert "wrong answer" in result["correctness"][0]["output_tail"]
    assert result["samples"] == [100.0]


@pytest.mark.parametrize(
    ("body", "arguments", "said"),
    [
        ("exit 7", (), "exit code 7"),
        ("echo nothing", (), "the metric is not in its output"),
        ("sleep 30", ("--timeout", "0.3"), "too long"),
        ("kill -SEGV $$", (), "SIGSEGV"),
    ],
)
def test_a_run_that_goes_wrong_fails(
    loop: Loop, body: str, arguments: tuple[str, ...], said: str
) -> None:
    task = loop.task(eval={"benchmark_command": body})
    code, result = loop.eval(task, *arguments)
    assert (code, result["status"]) == (1, "fail")
    assert said in " ".join(result["reasons"])
    assert result["delta"]["speedup"] is None


def test_unstable_is_neither_pass_nor_failure(loop: Loop) -> None:
    loop.scores(100, 140)
    code, result = loop.eval(loop.task(), "--runs", "2")
    assert (code, result["status"]) == (0, "unstable")
    assert result["stability"]["rel_spread"] == pytest.approx(40 / 120)


def test_a_wider_bound_makes_it_stable(loop: Loop) -> None:
    loop.scores(100, 140)
    code, result = loop.eval(loop.task(), "--runs", "2", "--max-rel-spread", "0.5")
    assert (code, result["status"]) == (0, "pass")


def test_needs_baseline_when_the_tasks_numbers_were_profiled(loop: Loop) -> None:
    task = loop.task(eval={"requires_fresh_baseline": True})
    code, result = loop.eval(task)
    assert (code, result["status"]) == (1, "needs_baseline")
    assert result["baseline"]["source"] == "missing-required"
    assert result["delta"]["speedup"] is None
    assert result["verdict"] is None


def test_one_run_is_no_baseline(loop: Loop) -> None:
    task = loop.task()
    code, result = loop.eval(task, "--refresh-baseline")
    assert (code, result["status"]) == (1, "needs_baseline")
    assert "1 measured run" in result["reasons"][0]
    assert "--runs 4" in result["reasons"][0]
    assert not (task.parent / "baseline.json").exists()
    assert loop.rows("SELECT * FROM task_baselines") == []


def test_a_refreshed_baseline_serves_later_evals_and_another_program_is_compared(
    loop: Loop,
) -> None:
    loop.scores(100, 101, 100, 101)
    task = loop.task(constraints={"allowed_files": ["bench.sh"]})
    code, result = loop.eval(task, "--runs", "4", "--refresh-baseline")
    assert (code, result["status"], result["baseline"]["source"]) == (0, "pass", "refreshed")
    assert result["delta"]["speedup"] is None
    document = json.loads((task.parent / "baseline.json").read_text())
    assert document.keys() >= BASELINE_FIELDS
    assert (document["run_count"], document["weak"]) == (4, False)

    loop.scores(120, 121, 120, 121)
    loop.script("bench.sh", (loop.root / "bench.sh").read_text() + "# another program\n")
    code, result = loop.eval(task, "--runs", "4")
    assert (code, result["status"]) == (0, "pass")
    (made,) = loop.rows("SELECT * FROM task_baselines")
    assert result["baseline"]["source"] == made["event_id"]
    assert result["baseline"]["binary_md5"] != result["side"]["binary_md5"]
    assert result["verdict"]["verdict"] == "faster"
    assert result["verdict"]["factor"] == "code"
    assert result["verdict"]["grade"] == "sessions"
    assert result["bounds"] == {"status": "ok", "changed": ["bench.sh"], "outside": []}


def test_a_weak_baseline_allows_no_claim(loop: Loop) -> None:
    task = loop.task()
    code, result = loop.eval(task, "--runs", "2", "--refresh-baseline", "--accept-weak-baseline")
    assert (code, result["status"]) == (0, "pass")
    assert json.loads((task.parent / "baseline.json").read_text())["weak"] is True
    loop.scores(200)
    code, result = loop.eval(task, "--runs", "4")
    assert (code, result["verdict"]["verdict"]) == (0, "insufficient")


def test_a_retracted_baseline_serves_no_more(loop: Loop) -> None:
    task = loop.task()
    loop.eval(task, "--runs", "4", "--refresh-baseline")
    (made,) = loop.rows("SELECT event_id FROM task_baselines")
    retract(loop, made["event_id"])
    _, result = loop.eval(task, "--runs", "4")
    assert result["baseline"]["source"] == "task"


def test_a_retracted_run_takes_its_baseline_with_it(loop: Loop) -> None:
    task = loop.task()
    loop.eval(task, "--runs", "4", "--refresh-baseline")
    (run, *_) = loop.rows("SELECT event_id FROM eval_run WHERE role = 'measured'")
    retract(loop, run["event_id"])
    assert loop.rows("SELECT * FROM task_baselines") == []
    (one,) = loop.rows("SELECT retracted_parts FROM evals")
    assert one["retracted_parts"] == [run["event_id"]]


def test_a_named_baseline_of_another_metric_gives_no_ratio(loop: Loop) -> None:
    task = loop.task()
    other = {"schema": "hipfire.kernel_atlas.baseline.v0", "task_id": "t-1", "metric": "other"}
    path = task.parent / "other.json"
    path.write_text(json.dumps(other | {"metrics": {"other": 1.0, "score": 1.0}}))
    code, result = loop.eval(task, "--baseline", str(path))
    assert (code, result["status"]) == (0, "pass")
    assert result["verdict"]["verdict"] == "incomparable"
    assert result["verdict"]["differs"] == ["metric"]
    assert result["delta"]["speedup"] is None


def test_an_older_baseline_without_samples_is_a_reference(loop: Loop) -> None:
    task = loop.task()
    path = task.parent / "older.json"
    older = {"schema": "hipfire.kernel_atlas.baseline.v0", "task_id": "t-1", "metric": "score"}
    path.write_text(json.dumps(older | {"metrics": {"score": 80.0}, "run_count": 5}))
    code, result = loop.eval(task, "--baseline", str(path))
    assert code == 0
    assert result["baseline"]["source"] == str(path)
    assert result["delta"]["speedup"] == pytest.approx(1.25)
    assert result["verdict"]["verdict"] == "insufficient"


def retract(loop: Loop, event_id: str) -> None:
    from ledger.envelope import Draft
    from ledger.store import Ledger
    from queries.catalog import Catalog

    payload = {"target": event_id, "why": "the host was busy"}
    Ledger(loop.ledger, Catalog()).record([Draft("retraction", payload)])
