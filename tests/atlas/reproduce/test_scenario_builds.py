"""A repository with everything that goes wrong with builds; the audits find that and no more."""

import json
from typing import Any

import pytest
from support.builds import RUNS_HERE, Lab

pytestmark = pytest.mark.skipif(not RUNS_HERE, reason="the bench is a Linux x86-64 program")


@pytest.fixture
def lab(bare_lab: Lab) -> Lab:
    bare_lab.commit("one")
    bare_lab.build(50.1)
    bare_lab.measure()
    return bare_lab


def audit(lab: Lab, name: str, *words: str) -> list[dict[str, Any]]:
    done = lab.host.atlas("audit", name, *words, "--format", "json")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert done.returncode == any(one["severity"] == "fault" for one in found), done.stderr
    return found


def rules(lab: Lab, name: str) -> list[tuple[str, str]]:
    """Severity and rule, without the equal prefill that the bench prints in any build."""
    found = audit(lab, name)
    return [(f["severity"], f["rule"]) for f in found if f.get("subject") != "prefill_tok_s"]


def test_honest_work_is_clean(lab: Lab) -> None:
    lab.commit("two")
    lab.build(51.2)
    lab.measure()
    lab.edit("three")
    lab.build(52.3)
    lab.measure()
    assert rules(lab, "builds") == []
    # The tree was measured with its change, and holds it still.
    assert audit(lab, "files") == []


def test_a_rebuild_without_change_is_a_note(lab: Lab) -> None:
    lab.commit("a word in a comment")
    lab.build(50.1)
    lab.measure()
    assert rules(lab, "builds") == [("note", "equal values"), ("note", "same program")]
    assert audit(lab, "files") == []


def test_a_dirty_build_measured_from_a_clean_tree(lab: Lab) -> None:
    lab.edit("tried in passing")
    lab.build(53.0)
    lab.edit("one")
    lab.measure()
    [found] = audit(lab, "builds")
    assert (found["severity"], found["rule"]) == ("fault", "several programs")
    assert found["subject"] == lab.git("rev-parse", "HEAD")
    assert audit(lab, "files") == []


def test_a_stale_binary(lab: Lab) -> None:
    head = lab.commit("two, not built")
    lab.measure()
    assert rules(lab, "builds") == [
        ("fault", "older than its commit"),
        ("fault", "same program"),
        ("note", "equal values"),
    ]
    stale = next(f for f in audit(lab, "builds") if f["rule"] == "older than its commit")
    assert head[:12] in stale["detail"]
    assert stale["rows"] == 2, "the rows of the first commit are not blamed"
    assert audit(lab, "files") == []


def test_a_swapped_model(lab: Lab) -> None:
    lab.model.write_bytes(b"WEIGHTS")
    assert rules(lab, "builds") == []
    [found] = audit(lab, "files")
    assert (found["severity"], found["rule"], found["role"]) == ("fault", "replaced", "model")
    assert found["path"] == str(lab.model)
    lab.measure()
    [found] = audit(lab, "files")
    assert (found["severity"], found["rule"], found["role"]) == ("note", "replaced", "model")
    assert found["detail"] == "later rows were measured with other content"


def test_a_model_that_was_not_hashed_is_known_by_its_size(bare_lab: Lab) -> None:
    lab = bare_lab
    lab.commit("one")
    lab.build(50.1)
    lab.measure(hashed=False)
    assert audit(lab, "files") == []
    lab.model.write_bytes(b"other weights")
    [found] = audit(lab, "files")
    assert "13 bytes, 7 were recorded" in found["detail"]


def test_what_is_gone(lab: Lab) -> None:
    (lab.src / "bench").unlink()
    lab.model.unlink()
    found = audit(lab, "files")
    assert [(f["severity"], f["rule"], f["role"]) for f in found] == [
        ("fault", "missing", "binary"),
        ("fault", "missing", "model"),
    ]
    assert audit(lab, "files", "--host", "elsewhere") == []


def test_a_commit_that_is_gone_and_a_tree_that_changed(lab: Lab) -> None:
    lab.commit("two")
    lab.build(51.0)
    lab.measure()
    head = lab.git("rev-parse", "HEAD")
    lab.git("reset", "-q", "--hard", "HEAD~1")
    lab.git("reflog", "expire", "--expire=now", "--all")
    lab.git("gc", "-q", "--prune=now")
    lab.edit("not measured")
    found = audit(lab, "files")
    assert [(f["severity"], f["rule"], f["role"]) for f in found] == [
        ("fault", "missing", "commit"),
        ("note", "changed", "diff"),
    ]
    assert found[0]["digest"] == head


def test_code_objects_may_grow_but_not_change(lab: Lab) -> None:
    cache = lab.src / ".hipfire_kernels" / "gfx1100"
    cache.mkdir(parents=True)
    (cache / "gemv.hsaco").write_bytes(b"code")
    lab.measure()
    (cache / "gemm.hsaco").write_bytes(b"more code")
    assert audit(lab, "files") == []
    (cache / "gemv.hsaco").write_bytes(b"other code")
    [found] = audit(lab, "files")
    assert (found["rule"], found["role"]) == ("replaced", "code object")
    assert found["path"] == str(cache / "gemv.hsaco")


def test_runs_that_are_equal_one_by_one_are_a_fault(lab: Lab) -> None:
    for commit, speeds in (("two", (50.1, 50.2, 50.3)), ("three", (50.1, 50.2, 50.3))):
        head = lab.commit(commit)
        rows = [v0(head, speed, number) for number, speed in enumerate(speeds)]
        path = lab.host.folder / f"{commit}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert lab.host.atlas("ingest", str(path)).returncode == 0
    [found] = [f for f in audit(lab, "builds") if f["severity"] == "fault"]
    assert found["rule"] == "equal values"
    assert "50.1, 50.2, 50.3" in found["detail"]


def test_one_run_under_two_commits_is_a_fault(lab: Lab) -> None:
    rows = [v0(commit, 48.25, 1) | {"run_id": "one"} for commit in ("1111111", "2222222")]
    path = lab.host.folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert lab.host.atlas("ingest", str(path)).returncode == 0
    [found] = audit(lab, "builds")
    assert (found["severity"], found["rule"]) == ("fault", "equal values")
    assert "one run stands under several commits" in found["detail"]


def test_a_short_commit_id_is_the_long_one(lab: Lab) -> None:
    head = lab.git("rev-parse", "HEAD")
    rows = [v0(commit, 48.25, n) for n, commit in enumerate((head, head[:8]))]
    path = lab.host.folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert lab.host.atlas("ingest", str(path)).returncode == 0
    assert audit(lab, "builds") == []


def v0(commit: str, value: float, number: int) -> dict[str, Any]:
    return {
        "schema": "hipfire.kernel_atlas.v0",
        "captured_at_utc": f"2026-01-02T03:04:0{number}Z",
        "arch": "gfx1100",
        "hostname": "kaveri",
        "git_sha": commit,
        "phase": "decode_ar",
        "workload": "qwen3.5",
        "quant": "mq4",
        "shape_bucket": "decode_ar_pp32_gen50",
        "run_index": number,
        "metrics": {"gen_tok_s": value},
        "model": {"path": "/m.mq4", "md5": "a" * 32, "bytes": 5},
        "provenance": {"git_dirty": False},
    }


def test_times_are_those_of_the_program_and_of_the_commit(lab: Lab) -> None:
    times = "SELECT DISTINCT committed_us, binary_mtime_us, git_sha FROM rows ORDER BY git_sha"
    [told] = lab.host.sql(times)
    committed = int(lab.git("show", "--no-patch", "--format=%ct")) * 1_000_000
    assert (told["committed_us"], told["binary_mtime_us"]) == (committed, committed + 60_000_000)
    lab.measure("--git-sha", "0123456")
    named = lab.host.sql(times)[0]
    assert named["git_sha"] == "0123456"
    assert named["committed_us"] is None, "the time of HEAD is not that of another commit"


def test_each_audit_is_listed_once(lab: Lab) -> None:
    told = lab.host.atlas("audit", "--help").stdout.splitlines()
    names = [line.split()[0] for line in told if line.startswith("  ") and line[2:3].isalpha()]
    listed = names[names.index("chain") :]
    assert len(listed) == len(set(listed))
    assert {"builds", "files", "identity", "comparability"} <= set(listed)
