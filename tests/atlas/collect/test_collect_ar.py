"""The AR collector, run as a process against the stand-in bench."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from support.cli import BENCH, Host

TWO_LENGTHS = ("--prefill", "32", "--prefill", "128", "--runs", "3")


def test_a_run_that_hangs_costs_only_itself(host: Host) -> None:
    done = host.collect(*TWO_LENGTHS, "--timeout", "2", STANDIN_HANG="3")
    assert done.returncode == 1
    rows = host.sql("SELECT phase, status, shape_bucket, value FROM rows")
    assert len([row for row in rows if row["status"] == "ok"]) == 10
    assert [row for row in rows if row["status"] == "partial"] == [
        {"phase": "prefill", "status": "partial", "shape_bucket": "pp32", "value": 776.3}
    ]
    (error,) = host.json("query", "errors")
    assert (error["reason"], error["phase"]) == ("timeout", "ar")
    raw = host.atlas("show", error["event_id"], "--raw").stdout
    assert "PREFILL_SUMMARY  prefill_tok_s=776.3" in raw


def test_metrics_printed_before_a_crash_are_kept_and_marked(host: Host) -> None:
    done = host.collect("--prefill", "32", STANDIN_CRASH="1")
    assert done.returncode == 1
    (row,) = host.sql("SELECT phase, status, value, why FROM rows")
    assert row["phase"] == "prefill"
    assert row["status"] == "partial"
    assert row["value"] == 776.1
    assert row["why"] == ["ended by SIGSEGV"]
    (error,) = host.json("query", "errors")
    assert error["signal"] == "SIGSEGV"


def test_runs_that_ended_survive_kill_9(host: Host) -> None:
    words = host.collect_words(*TWO_LENGTHS)
    process = host.start(*words, STANDIN_SLEEP="0.4", **host.collect_env())
    deadline = time.monotonic() + 60
    while host.calls() < 4 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert host.calls() == 4
    found = host.sql("SELECT count(*) AS n, count(DISTINCT row_id) AS ids FROM rows")
    assert found == [{"n": 6, "ids": 6}]
    assert host.atlas("audit", "chain").returncode == 0


def test_two_collectors_at_once_lose_nothing(host: Host) -> None:
    words = host.collect_words("--prefill", "32", "--runs", "4")
    env = host.collect_env()
    processes = [host.start(*words, STANDIN_SLEEP="0.05", **env) for _ in range(2)]
    for process in processes:
        _, stderr = process.communicate(timeout=90)
        assert process.returncode == 0, stderr
    assert host.sql("SELECT count(*) AS n FROM rows") == [{"n": 16}]
    assert host.atlas("audit", "chain").returncode == 0


def test_ctrl_c_keeps_what_is_done(host: Host) -> None:
    words = host.collect_words(*TWO_LENGTHS)
    process = host.start(*words, STANDIN_HANG="2", **host.collect_env())
    while host.calls() < 2:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert host.sql("SELECT status, count(*) AS n FROM rows GROUP BY ALL ORDER BY ALL") == [
        {"status": "ok", "n": 2},
        {"status": "partial", "n": 1},
    ]
    assert host.json("query", "errors")[0]["reason"] == "interrupted"


def test_what_is_asked_reaches_the_program_and_the_row(host: Host) -> None:
    output = host.folder / "rows.jsonl"
    done = host.collect(
        "--prefill", "128", "--prefill-runs", "2", "--gen", "20", "--warmup", "1", "--graph",
        "--profile-decode", "--kv-mode", "q8", "--env", "HIPFIRE_GEMV_ROWS=4",
        "--env", "MY_API_KEY=hush", "--hostname", "lab", "--git-sha", "abcdef1234",
        "--output", str(output),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    prefill, decode = rows
    assert decode["command"][2:] == [
        "--prefill", "128", "--prefill-runs", "2", "--warmup", "1", "--gen", "20",
    ]  # fmt: skip
    assert decode["variant"]["env"] == {
        "HIPFIRE_DPM_WARMUP_SECS": "3",
        "HIPFIRE_GEMV_ROWS": "4",
        "HIPFIRE_GRAPH": "1",
        "HIPFIRE_KV_MODE": "q8",
        "HIPFIRE_PROFILE_DECODE": "1",
        "MY_API_KEY": "***",
    }
    assert (prefill["shape_bucket"], decode["shape_bucket"]) == (
        "pp128",
        "decode_ar_pp128_gen20",
    )
    assert decode["hostname"] == "lab"
    assert decode["git_sha"] == "abcdef1234"
    assert len(decode["artifacts"]["profile_kernels"]) == 4
    assert "hush" not in host.atlas("export").stdout
    profiled = host.sql("SELECT DISTINCT profiled FROM rows")
    assert profiled == [{"profiled": True}]


def test_an_arch_in_conflict_quarantines_the_row(host: Host) -> None:
    assert host.collect("--prefill", "32", "--arch", "gfx1201").returncode == 0
    rows = host.sql("SELECT status, arch, why FROM rows")
    assert {row["status"] for row in rows} == {"quarantined"}
    assert "gfx1100" in rows[0]["why"][0]
    assert "gfx1201" in rows[0]["why"][0]


def test_without_a_terminal_the_rows_are_printed_as_jsonl(host: Host) -> None:
    done = host.collect("--prefill", "32")
    assert [json.loads(line)["phase"] for line in done.stdout.splitlines()] == [
        "prefill",
        "decode_ar",
    ]


def test_a_program_that_is_not_there_is_refused_before_anything_runs(host: Host) -> None:
    done = host.atlas("collect-ar", "--bench", "./nothing", "--model", "m")
    assert done.returncode == 2
    assert done.stderr.startswith("atlas: no program at nothing")
    assert not host.ledger.exists()


def test_a_program_that_can_not_start_is_an_error_record(host: Host) -> None:
    broken = host.folder / "broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(0o755)
    done = host.atlas("collect-ar", "--bench", str(broken), "--model", "m", "--prefill", "32")
    assert done.returncode == 1
    (error,) = host.json("query", "errors")
    assert error["reason"] == "not_started"


def test_rows_with_full_identity_are_measured(host: Host) -> None:
    repository(host.folder)
    assert host.collect("--prefill", "32", "--runs", "2", "--hash-models").returncode == 0
    rows = host.sql("SELECT evidence, missing, git_state, model_md5, binary_md5 FROM rows")
    assert {row["evidence"] for row in rows} == {"measured"}, rows
    assert {row["git_state"] for row in rows} == {"clean"}
    assert all(len(row["model_md5"]) == len(row["binary_md5"]) == 32 for row in rows)


def test_one_run_stays_exploratory_and_says_what_is_missing(host: Host) -> None:
    assert host.collect("--prefill", "32").returncode == 0
    rows = host.json("query", "missing-identity")
    assert rows[0]["missing"] == ["git_sha", "git_state", "model_md5", "second run"]
    assert rows[0]["hint"] == "collect with --hash-models"


def test_the_code_objects_are_digested_after_the_run(host: Host) -> None:
    cache = host.folder / "cache"
    compiling = host.folder / "compiling"
    compiling.write_text(
        f'#!/bin/sh\nmkdir -p {cache}; echo object > {cache}/k.hsaco\nexec {BENCH} "$@"\n'
    )
    compiling.chmod(0o755)
    done = host.atlas(
        "collect-ar", "--bench", str(compiling), "--model", "m", "--prefill", "32",
        HIPFIRE_KERNEL_CACHE=str(cache),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (row,) = host.sql("SELECT DISTINCT code_objects FROM rows")
    assert row["code_objects"] is not None


def repository(folder: Path) -> None:
    """Make the folder a clean repository."""
    (folder / ".gitignore").write_text("*\n!.gitignore\n")
    for words in (
        "init -q",
        "add .gitignore",
        "-c user.name=t -c user.email=t@example.invalid commit -qm x",
    ):
        status = os.system(f"cd '{folder}' && git {words}")
        if status:
            pytest.fail(f"git {words}")
