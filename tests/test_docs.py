"""Documentation that is generated is current, and the commands that it names exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.cli import ROOT

from atlas.cli.app import COMMANDS

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_generated_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "tools/make_docs.py", "--check"],
        cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_named_in_a_page_exist(page: Path) -> None:
    named = set(re.findall(r"(?:^|`|\$ |&& )atlas ([a-z][a-z-]+)", page.read_text(), re.MULTILINE))
    assert named <= set(COMMANDS), named - set(COMMANDS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target
