"""The agent skill: its script runs, and its commands exist."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from atlas.cli.app import COMMANDS
from queries.catalog import Catalog

ROOT = Path(__file__).parents[2]
SKILL = ROOT / ".agents" / "skills" / "kernel-atlas"
ROWS = ROOT / "tests" / "data" / "fit" / "rows.jsonl"

pytestmark = pytest.mark.skipif(not SKILL.is_dir(), reason="the skill is not part of a package")


def test_the_script_prints_a_fit_view() -> None:
    environ = {**os.environ, "PYTHON": sys.executable, "PATH": "/usr/bin:/bin"}
    made = subprocess.run(
        [SKILL / "render-fit.sh", "--row", ROWS],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Fit read" in made.stdout


def test_its_commands_and_questions_exist() -> None:
    text = (SKILL / "SKILL.md").read_text()
    commands = set(re.findall(r"`atlas ([a-z][a-z-]*)", text)) - {"query"}
    assert commands
    assert commands <= set(COMMANDS)
    catalog = Catalog()
    for name in re.findall(r"`atlas query ([a-z][a-z-]*)", text):
        assert catalog.find("shortcuts", name), name
