"""The fast table looks as the library's does where nothing has to fold."""

import io
import os
import re

import pytest

from atlas.render.tabular import as_text
from ledger.reader import Result

RESULT = Result(
    ("name", "n", "größe", "list"),
    ("VARCHAR", "BIGINT", "DOUBLE", "VARCHAR[]"),
    [
        ("gemv", 1, 2.5, ["a", "b"]),
        ("核心\x1b[31m", None, 1234567.0, []),
        ("two\nlines", -20, None, None),
        ("", 3, float("nan"), ["c"]),
    ],
)
STYLE = re.compile("\x1b\\[[0-9;]*m")


@pytest.mark.parametrize("rows", [RESULT.rows, RESULT.rows[:1], []])
def test_it_is_what_the_library_prints(
    rows: list[tuple[object, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = Result(RESULT.columns, RESULT.types, rows)
    fast = as_text(result, "table")
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((200, 40)))
    fitted = STYLE.sub("", as_text(result, "table"))
    assert [line.rstrip() for line in fast.splitlines()] == [
        line.rstrip() for line in fitted.splitlines()
    ]
    assert "\x1b" not in fast
