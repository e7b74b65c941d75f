from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from atlas.dispatch import reading
from atlas.dispatch.finding_log import FindingLog
from atlas.dispatch.paths import TreePath
from atlas.dispatch.reading import read_text

if TYPE_CHECKING:
    from pathlib import Path


def read(root: Path, name: str = "a.hip") -> tuple[bytes | None, list[tuple[str, str]]]:
    log = FindingLog()
    data = read_text(root, TreePath(os.fsencode(name)), log)
    return data, [(finding.code, finding.where) for finding in log.findings()]


@pytest.mark.parametrize("size", [0, 1, 8191, 8192, 8193, 20_000])
def test_reads_every_byte(tmp_path: Path, size: int) -> None:
    data = (b"\xff\r\nline" * (size // 7 + 1))[:size]
    (tmp_path / "a.hip").write_bytes(data)
    assert read(tmp_path) == (data, [])


def test_binary_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_bytes(b"gemv\0")
    assert read(tmp_path) == (None, [("binary", "a.hip")])
    (tmp_path / "a.hip").write_text("gemv", encoding="utf-16")
    assert read(tmp_path) == (None, [("binary", "a.hip")])


def test_large_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 10)
    (tmp_path / "a.hip").write_bytes(b"x" * 10)
    assert read(tmp_path) == (b"x" * 10, [])
    (tmp_path / "a.hip").write_bytes(b"x" * 11)
    assert read(tmp_path) == (None, [("too_large", "a.hip")])


def test_a_file_that_is_gone_is_no_finding(tmp_path: Path) -> None:
    assert read(tmp_path) == (None, [])


def test_what_is_no_regular_file_is_said_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.hip")
    (tmp_path / "folder.hip").mkdir()
    (tmp_path / "real.hip").write_bytes(b"x")
    (tmp_path / "link.hip").symlink_to(tmp_path / "real.hip")
    assert read(tmp_path, "pipe.hip") == (None, [("not_regular", "pipe.hip")])
    assert read(tmp_path, "folder.hip") == (None, [("not_regular", "folder.hip")])
    assert read(tmp_path, "link.hip") == (None, [("symlink", "link.hip")])


@pytest.mark.parametrize("call", ["open", "read"])
def test_an_unreadable_file_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    (tmp_path / "a.hip").write_bytes(b"x")

    def refusing(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(reading.os, call, refusing)
    assert read(tmp_path) == (None, [("unreadable", "a.hip")])


def test_a_name_that_is_no_utf8_is_shown_escaped(tmp_path: Path) -> None:
    name = os.fsdecode(b"odd\xff.hip")
    (tmp_path / name).write_bytes(b"\0")
    assert read(tmp_path, name) == (None, [("binary", "odd\\xff.hip")])
