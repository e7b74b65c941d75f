from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Git = Callable[..., str]


@pytest.fixture(autouse=True)
def no_user_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    config = tmp_path / "gitconfig"
    config.write_text(
        '[user]\n name = a\n email = a@example.org\n[protocol "file"]\n allow = always\n'
        "[init]\n defaultBranch = main\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


@pytest.fixture
def git() -> Git:
    def run(cwd: Path, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, check=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    return run


@pytest.fixture
def repo(tmp_path: Path, git: Git) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.txt").write_text("".join(f"line {n}\n" for n in range(30)))
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "data.bin").write_bytes(bytes(range(256)) * 4)
    (root / ".gitignore").write_text("ignored/\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root
