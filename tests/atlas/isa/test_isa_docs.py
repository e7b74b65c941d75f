"""The page about code objects runs, and names every finding there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "isa.md").read_text(encoding="utf-8")


def test_the_example_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)  # the page's own example
    assert "apply_polynomial" in capsys.readouterr().out
    assert isinstance(names["manifest"], dict)


def test_every_finding_code_is_on_the_page() -> None:
    raised = re.compile(r'(?:Finding|ObjectProblem|report)\(\s*"(\w+)"')
    codes = set()
    for path in (ROOT / "atlas" / "isa").glob("*.py"):
        codes |= set(raised.findall(path.read_text(encoding="utf-8")))
    assert len(codes) > 15
    assert {code for code in codes if f"`{code}`" not in PAGE} == set()
