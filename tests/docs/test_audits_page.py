"""The commands of the page about audits run, in a repository with two builds of a bench."""

import os
import subprocess
from pathlib import Path

import pytest
from support.builds import RUNS_HERE, elf_that_prints, printed
from support.cli import ROOT
from support.doc_commands import run_step, steps

IGNORED = "/built\n/bench\n*.mq4\n.atlas*\n.cache\n.gitconfig\n.hipfire_kernels\n"


@pytest.mark.skipif(not RUNS_HERE, reason="the bench is a Linux x86-64 program")
def test_the_page_about_audits(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    (tmp_path / "built").mkdir()
    for name, speed in (("one", 50.1), ("two", 51.2)):
        (tmp_path / "built" / name).write_bytes(elf_that_prints(printed(speed)))
        (tmp_path / "built" / name).chmod(0o755)
    (tmp_path / "m.mq4").write_bytes(b"weights")
    (tmp_path / "kernel.hip").write_text("one\n")
    (tmp_path / ".gitignore").write_text(IGNORED)
    (tmp_path / ".gitconfig").write_text("[user]\nname = Lab\nemail = lab@example.org\n")
    past = env | {"GIT_COMMITTER_DATE": "1700000000 +0000"}
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "One"]):
        subprocess.run(["git", *words], cwd=tmp_path, env=past, check=True)
    found = list(steps(ROOT / "docs" / "audits.md"))
    assert len(found) > 10
    for step in found:
        run_step(step, tmp_path, env)
