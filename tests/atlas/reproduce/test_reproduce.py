"""What it takes to measure a row again: pieces that are here and that are not, the script."""

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.builds import RUNS_HERE, Lab

from atlas.identity.host import observe_host
from atlas.reproduce.needs import Measured, Need, needs_of
from atlas.reproduce.script import quoted, script_of


def md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def a_row(folder: Path, **changes: Any) -> Measured:
    """A row whose files lie in a folder that is no repository."""
    for name in ("bench", "m.mq4", "d.mq4", "p.txt"):
        (folder / name).write_bytes(name.encode())
    row = {
        "hostname": observe_host().hostname,
        "git_sha": "1234567",
        "workload": "w",
        "workload_kind": "dflash",
        "phase": "decode_dflash",
        "command": [str(folder / "bench"), "--prompt", f"@{folder / 'p.txt'}"],
        "model": {"path": str(folder / "m.mq4"), "md5": md5(b"m.mq4"), "bytes": 5},
        "provenance": {
            "binary_path": str(folder / "bench"),
            "binary_md5": md5(b"bench"),
            "git_state": "clean",
        },
        "artifacts": {
            "draft": str(folder / "d.mq4"),
            "draft_md5": md5(b"d.mq4"),
            "prompt_file": str(folder / "p.txt"),
            "prompt_md5": md5(b"p.txt"),
        },
        "variant": {"env": {"HIPFIRE_KV_MODE": "asym3"}},
    } | changes
    return Measured("0123456789abcdef", row, {}, folder)


def states(measured: Measured) -> dict[str, str]:
    return {need.what: need.state for need in needs_of(measured)}


def need(measured: Measured, what: str) -> Need:
    return next(one for one in needs_of(measured) if one.what == what)


def test_all_but_the_commit_is_here(tmp_path: Path) -> None:
    found = states(a_row(tmp_path))
    assert found.pop("commit") == "missing"
    assert list(found) == [
        *("host", "diff", "binary", "model", "draft", "prompt", "command", "env"),
    ]
    assert set(found.values()) == {"present"}


@pytest.mark.parametrize("what", ["binary", "model", "draft", "prompt"])
def test_a_file_that_is_gone_or_another(tmp_path: Path, what: str) -> None:
    measured = a_row(tmp_path)
    name = {"binary": "bench", "model": "m.mq4", "draft": "d.mq4", "prompt": "p.txt"}[what]
    (tmp_path / name).write_bytes(b"another")
    assert need(measured, what).state == "differs"
    assert need(measured, what).here == md5(b"another")
    (tmp_path / name).unlink()
    assert need(measured, what).state == "missing"


def test_a_row_that_says_nothing(tmp_path: Path) -> None:
    found = states(
        Measured("0" * 16, {"provenance": 5, "command": "x", "git_sha": 7}, {}, tmp_path)
    )
    assert found.pop("env") == "present"
    assert set(found.values()) == {"unknown"}
    assert "the command was not recorded" in script_of(Measured("0" * 16, {}), [])


def test_a_model_that_was_not_hashed(tmp_path: Path) -> None:
    measured = a_row(tmp_path, model={"path": str(tmp_path / "m.mq4"), "bytes": 5})
    assert need(measured, "model").state == "unknown"
    (tmp_path / "m.mq4").write_bytes(b"longer than that")
    assert need(measured, "model").state == "differs"


def test_code_objects_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "a.hsaco").write_bytes(b"a")
    entries = [["a.hsaco", md5(b"a")], ["b.hsaco", md5(b"b")]]
    context = {"code_objects": {"folder": str(tmp_path), "digest": "x", "entries": entries}}
    measured = Measured("0" * 16, a_row(tmp_path).row, context, tmp_path)
    assert need(measured, "objects").state == "differs"
    (tmp_path / "b.hsaco").write_bytes(b"b")
    assert need(measured, "objects").state == "present"


def test_secrets_are_named_as_missing(tmp_path: Path) -> None:
    env = {"HIPFIRE_KV_MODE": "asym3", "HIPFIRE_API_KEY": "***"}
    command = ["sh", "-c", "HF_TOKEN=*** bench"]
    measured = a_row(tmp_path, variant={"env": env}, command=command)
    found = states(measured)
    assert (found["HIPFIRE_API_KEY"], found["command"]) == ("missing", "missing")
    script = script_of(measured, needs_of(measured))
    assert "# HIPFIRE_API_KEY missing" in script
    assert "export HIPFIRE_API_KEY" in script
    assert "# a secret in this word was not kept: HF_TOKEN=*** bench" in script


def test_the_script_runs_the_command_with_its_variables_only(tmp_path: Path) -> None:
    measured = a_row(
        tmp_path, git_sha=None, variant={"env": {"HIPFIRE_A": "it's", "HF_KEY": "***"}}
    )
    bench = tmp_path / "bench"
    bench.write_text('#!/bin/sh\nprintf "%s|" "$2" "$HIPFIRE_A" "$HIPFIRE_B" "$HF_KEY"\n')
    bench.chmod(0o755)
    (tmp_path / "p.txt").write_bytes(b"two\nlines\n\n")
    measured.row["artifacts"]["prompt_md5"] = md5(b"two\nlines\n\n")
    script = script_of(measured, needs_of(measured))

    def ran(**env: str) -> subprocess.CompletedProcess[str]:
        known = {"PATH": os.environ["PATH"], "HIPFIRE_B": "left over"} | env
        words = ["bash", "-c", script]
        return subprocess.run(
            words, env=known, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    assert ran(HF_KEY="k").stdout == "two\nlines\n\n|it's||k|"
    assert "HF_KEY: set it" in ran().stderr
    (tmp_path / "p.txt").write_bytes(b"another")
    assert ran(HF_KEY="k").returncode == 1, "a file that is another stops it"


HOSTILE = "x'; touch owned; '\n`touch owned`$(touch owned)\x1b[31m\\"


def test_nothing_a_row_says_gets_out_of_its_quotes(tmp_path: Path) -> None:
    measured = Measured(
        "0" * 16,
        {
            "hostname": HOSTILE,
            "workload": HOSTILE,
            "git_sha": HOSTILE,
            "command": ["printf", "%s", HOSTILE],
            "variant": {"env": {"A": HOSTILE, HOSTILE: "x"}},
        },
        {},
        tmp_path,
    )
    script = script_of(measured, needs_of(measured))
    assert "\x1b" not in script
    body = script.replace("exit 1; }", ":; }")  # as if it had been built
    done = subprocess.run(
        ["bash", "-c", body], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == HOSTILE, done.stderr
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("word", ["", "plain", "it's", "a b", HOSTILE, "ü\x85\u2028'\\n"])
def test_a_quoted_word_is_one_word(word: str) -> None:
    words = ["bash", "-c", f"printf %s {quoted(word)}"]
    done = subprocess.run(
        words,
        capture_output=True,
        check=True,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
    )
    assert done.stdout.decode() == word


@pytest.mark.skipif(not RUNS_HERE, reason="the bench is a Linux x86-64 program")
def test_a_row_of_the_ledger_runs_again(bare_lab: Lab, tmp_path: Path) -> None:
    lab = bare_lab
    lab.commit("one")
    lab.build(50.1)
    lab.measure(HIPFIRE_TEST="1")
    done = lab.host.atlas("reproduce", "phase=decode_ar", "--script")
    assert done.returncode == 0, done.stdout
    env = {**os.environ, "TREE": str(tmp_path / "tree")}
    words = ["bash", "-c", done.stdout]
    ran = subprocess.run(words, env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("gpu: gfx1100")
    assert (tmp_path / "tree" / "kernel.hip").read_text() == "one"

    lab.edit("two")
    lab.build(51.0)
    done = lab.host.atlas("reproduce", "latest", "--json")
    told = json.loads(done.stdout)
    differ = [one["what"] for one in told["needs"] if one["state"] != "present"]
    assert (done.returncode, differ) == (1, ["binary"])
    ran = subprocess.run(["bash", "-c", told["script"]], env=env, capture_output=True, check=False)
    assert b"build it in" in ran.stderr
    table = lab.host.atlas("reproduce").stdout
    assert table.index("differs") < table.index("#!/usr/bin/env bash")


@pytest.mark.skipif(not RUNS_HERE, reason="the bench is a Linux x86-64 program")
def test_an_uncommitted_change_that_is_still_there_is_copied(bare_lab: Lab, tmp_path: Path) -> None:
    lab = bare_lab
    lab.commit("one")
    lab.edit("tried")
    lab.build(50.1)
    lab.measure()
    done = lab.host.atlas("reproduce", "--script")
    assert done.returncode == 0, done.stdout
    env = {**os.environ, "TREE": str(tmp_path / "tree")}
    subprocess.run(["bash", "-c", done.stdout], env=env, capture_output=True, check=True)
    assert (tmp_path / "tree" / "kernel.hip").read_text() == "tried"
    lab.edit("tried again")
    done = lab.host.atlas("reproduce")
    assert done.returncode == 1
    assert "# the uncommitted change was not kept" in done.stdout
