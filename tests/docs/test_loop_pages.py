"""The commands of the pages about evidence and the loop run, in a folder where they make sense."""

import json
import re
import shlex
from pathlib import Path

import pytest
from support.cli import BENCH, ROOT, Host

PAGES = ("methodology.md", "coming-from-kernel-atlas-py.md")
ANSWERS_NO = {"eval": {1}, "audit": {1}, "compare": {1}, "graph-ab": {1}}
"""Commands whose answer may be no in this small folder: that is an answer, not a mistake."""


def commands(page: str) -> list[str]:
    """Lines of the page's fenced blocks that call atlas."""
    text = (ROOT / "docs" / page).read_text()
    blocks = re.findall(r"^```(?:console|sh)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith("atlas ")]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A ledger with two commits of four runs, a task, and the files that the pages name."""
    host = Host(tmp_path_factory.mktemp("lab"))
    for sha, graph in (("3f2a" * 10, "0"), ("9b41" * 10, "1")):
        words = ("--prefill", "32", "--runs", "4", "--git-sha", sha, "--profile-decode")
        done = host.collect(*words, "--env", f"HIPFIRE_GRAPH={graph}", "--arch", "gfx1100")
        assert done.returncode == 0, done.stderr
    rows = host.atlas("export").stdout
    (host.folder / "rows.jsonl").write_text(rows)
    dispatch = {"schema": "hipfire.kernel_atlas.dispatch.v0", "arch": "gfx1100", "entries": []}
    (host.folder / "dispatch.json").write_text(json.dumps(dispatch))
    for name in ("bench", "bench.sh", "old/bench", "new/bench"):
        script = host.folder / name
        script.parent.mkdir(exist_ok=True)
        script.write_text("#!/bin/sh\necho score=4.5\necho gen_tok_s=48.5\n")
        script.chmod(0o755)
    (host.folder / "before").mkdir()
    done = host.atlas(
        "task-pytorch", "--name", "x", "--op", "x", "--input-shape", "1", "--output-dir", ".",
        "--eval-command", str(host.folder / "bench.sh"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return host


@pytest.mark.parametrize("line", [line for page in PAGES for line in commands(page)])
def test_a_command_of_the_pages_runs(lab: Host, line: str) -> None:
    row, event = lab.sql("SELECT row_id, event_id FROM rows ORDER BY recorded_us")[0].values()
    words = shlex.split(
        line.replace(" ROW", f" {row}").replace(" EVENT", f" {event}"), comments=True
    )
    words = [word.replace("arch=gfx1201", "arch=gfx1100") for word in words]
    words = [word.replace("../before", str(lab.folder / "before")) for word in words]
    done = lab.atlas(*words[1:], **lab.collect_env())
    assert done.returncode in {0} | ANSWERS_NO.get(words[1], set()), done.stderr
    assert "a defect" not in done.stderr


def test_the_pages_have_commands_and_the_bench_is_there() -> None:
    assert all(len(commands(page)) > 8 for page in PAGES)
    assert Path(BENCH).exists()
