"""A small repository with benchmarks that are scripts, and the command line run in this process."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atlas.cli.boundary import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

BENCH = """#!/bin/sh
# Prints the next of the scores in a file; the last one for ever.
n=$(cat "$PWD/calls" 2>/dev/null || echo 0)
echo $((n + 1)) >"$PWD/calls"
score=$(sed -n "$((n + 1))p" "$PWD/scores")
[ -n "$score" ] || score=$(tail -n 1 "$PWD/scores")
echo "score=$score"
"""


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


class Loop:
    """The repository, its ledger (outside of it), and the command line."""

    def __init__(self, tmp: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = tmp / "repo"
        self.ledger = tmp / "atlas.duckdb"
        self._capsys = capsys
        (self.root / "kernels").mkdir(parents=True)
        self.write("kernels/gemv.hip", "// gemv\n")
        self.script("bench.sh", BENCH)
        self.write(".gitignore", "calls\nscores\n")
        self.write("scores", "100\n")
        self.git("init", "-q")
        self.commit("first")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.root, capture_output=True, check=True, text=True
        )
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def script(self, name: str, text: str) -> Path:
        path = self.write(name, text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def scores(self, *values: float) -> None:
        self.write("scores", "".join(f"{value}\n" for value in values))
        (self.root / "calls").unlink(missing_ok=True)

    def task(self, **parts: Any) -> Path:
        """A task in a folder of its own, outside the repository."""
        document: dict[str, Any] = {
            "schema": "hipfire.kernel_atlas.task.v0",
            "task_id": "t-1",
            "target": {"host": "unknown", "arch": "gfx1100"},
            "hot_kernel": {"name": "gemv"},
            "baseline": {"env": {}, "metrics": {"score": 50}},
            "experiment": {"lever_type": "source_sweep"},
            "constraints": {"allowed_files": ["kernels/gemv.hip"]},
            "cut": {"git_sha": self.git("rev-parse", "HEAD"), "files": []},
            "eval": {
                "metric": "score",
                "goal": "maximize",
                "benchmark_command": ["./bench.sh"],
                "correctness_commands": [],
            },
        }
        for name, part in parts.items():
            document[name] = document[name] | part if isinstance(part, dict) else part
        path = self.root.parent / "task" / "task.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document))
        return path

    def atlas(self, *arguments: str) -> Answer:
        self._capsys.readouterr()
        code = run(["--ledger", str(self.ledger), *arguments])
        said = self._capsys.readouterr()
        return Answer(code, said.out, said.err)

    def eval(self, task: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
        """Exit code and result."""
        answer = self.atlas("eval", "--task", str(task), *arguments)
        assert "defect" not in answer.err, answer.err
        path = task.parent / "result.json"
        return answer.code, json.loads(path.read_text()) if path.exists() else {}

    def rows(self, statement: str) -> list[dict[str, Any]]:
        answer = self.atlas("sql", statement, "--json")
        assert answer.code == 0, answer.err
        return answer.json()  # type: ignore[no-any-return]


def loop_in(tmp: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Loop:
    """A fresh repository as the working directory, without knobs of whoever runs the tests."""
    for name in [n for n in os.environ if n.startswith(("HIPFIRE_", "GIT_", "HIP_", "ROCR_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.delenv("ATLAS_LEDGER", raising=False)
    loop = Loop(tmp, capsys)
    monkeypatch.chdir(loop.root)
    return loop
