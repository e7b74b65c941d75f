"""The commands of the pages about exchange run, and print what the pages say."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.cli import BENCH, ROOT
from support.doc_commands import Step, matches, run_step, steps

PAGES = [ROOT / "docs" / name for name in ("multi-host.md", "ledger-format.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="no ssh-keygen here")
def test_a_page(page: Path, tmp_path: Path) -> None:
    for arch, name in enumerate(("lab", "office", "later", "other"), start=1100):
        words = [str(BENCH), "m.mq4", "--prefill", "32", "--gen", "50"]
        env = {"PATH": os.environ["PATH"], "STANDIN_ARCH": f"gfx{arch}"}
        done = subprocess.run(words, env=env, capture_output=True, check=True)
        (tmp_path / f"{name}.log").write_bytes(done.stdout + done.stderr)
    script = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "audit.py").write_text("".join(script))
    found = list(steps(page))
    assert len(found) > 5
    for step in found:
        run_step(step, tmp_path, {"PATH": os.environ["PATH"], "HOME": str(tmp_path)})


def test_a_page_that_lies_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo one\ntwo\n$ false\n# exit 1\n```\n")
    lie, honest = steps(page)
    with pytest.raises(AssertionError, match="wanted"):
        run_step(lie, tmp_path, {"PATH": os.environ["PATH"]})
    run_step(honest, tmp_path, {"PATH": os.environ["PATH"]})
    with pytest.raises(AssertionError, match="false"):
        run_step(Step("false"), tmp_path, {"PATH": os.environ["PATH"]})


def test_what_stands_for_what() -> None:
    assert matches(["…"], "")
    assert matches(["…", "b"], "a\na\nb\n")
    assert matches(["a … c"], "a b c\n")
    assert not matches(["a"], "")
    assert not matches([], "a\n")
