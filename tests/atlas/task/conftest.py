from pathlib import Path

import pytest
from support.loop import Loop, loop_in


@pytest.fixture
def loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Loop:
    return loop_in(tmp_path, monkeypatch, capsys)
