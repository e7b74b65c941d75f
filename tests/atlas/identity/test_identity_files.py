from __future__ import annotations

import hashlib
import json
import os
import threading
from pathlib import Path

import pytest

from atlas.identity import model as model_module
from atlas.identity.code_objects import observe_code_objects
from atlas.identity.files import digest_file, observe_file, regular_files
from atlas.identity.model import HashCache, observe_model
from atlas.identity.prompt import observe_prompt


def md5(data: bytes) -> str:
    return hashlib.md5(data).hexdigest()


@pytest.fixture
def cache(tmp_path: Path) -> HashCache:
    return HashCache(tmp_path / "cache")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Paths that were really hashed."""
    seen: list[Path] = []

    def digest(path: Path, algorithm: str) -> str:
        seen.append(path)
        return hashlib.new(algorithm, path.read_bytes()).hexdigest()

    monkeypatch.setattr(model_module, "digest_file", digest)
    return seen


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    os.utime(path, ns=(0, 1_700_000_000_123_456_789))
    assert observe_file(path).as_json() == {
        "path": str(path),
        "md5": md5(b"abc"),
        "bytes": 3,
        "mtime_us": 1_700_000_000_123_456,
    }
    assert digest_file(path, "sha256") == hashlib.sha256(b"abc").hexdigest()


def test_what_is_no_readable_file_has_a_reason(tmp_path: Path) -> None:
    assert observe_file(tmp_path / "gone").as_json() == {
        "path": str(tmp_path / "gone"),
        "reason": "No such file or directory",
    }
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in str(observe_file(tmp_path / "pipe").reason)
    assert observe_file(tmp_path).reason == "Is a directory"
    assert observe_file(Path("nul\0")).reason


def test_regular_files_survive_loops_and_dangling_links(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "b").mkdir(parents=True)
    (root / "b" / "x").write_text("1")
    (root / "b" / "loop").symlink_to(root)
    (root / "a").symlink_to("b/x")
    (root / "self").symlink_to("self")
    (root / "gone").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    assert [name for name, _ in regular_files(root)] == ["a", "b/x"]


def test_a_model_is_hashed_once(tmp_path: Path, cache: HashCache, counted: list[Path]) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"weights")
    first = observe_model(path, True, cache)
    second = observe_model(path, True, HashCache(cache.folder))
    assert first == second
    assert first.as_json() == {
        "path": str(path),
        "bytes": 7,
        "mtime_us": path.stat().st_mtime_ns // 1000,
        "md5": md5(b"weights"),
    }
    assert len(counted) == 1
    path.write_bytes(b"WEIGHTS")
    os.utime(path, ns=(0, 5))
    assert observe_model(path, True, cache).md5 == md5(b"WEIGHTS")
    assert len(counted) == 2


def test_a_model_that_is_not_hashed(tmp_path: Path, cache: HashCache, counted: list[Path]) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"weights")
    seen = observe_model(path, False, cache)
    assert (seen.bytes, seen.md5, seen.reason) == (7, None, "not hashed")
    assert counted == []
    assert "md5" not in seen.as_json()


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", "null", '{"key": 1, "md5": 2}', '{"md5": "short"}', "\udcff"]
)
def test_a_damaged_cache_is_ignored(
    tmp_path: Path, cache: HashCache, counted: list[Path], damage: str
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"weights")
    observe_model(path, True, cache)
    (entry,) = cache.folder.iterdir()
    entry.write_bytes(damage.encode("utf-8", "surrogateescape"))
    assert observe_model(path, True, cache).md5 == md5(b"weights")
    assert len(counted) == 2
    observe_model(path, True, cache)
    assert len(counted) == 2


def test_an_entry_with_a_bad_digest_is_ignored(tmp_path: Path, cache: HashCache) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"weights")
    observe_model(path, True, cache)
    (entry,) = cache.folder.iterdir()
    content = json.loads(entry.read_text())
    entry.write_text(json.dumps({**content, "md5": "x" * 32}))
    assert observe_model(path, True, cache).md5 == md5(b"weights")


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    path = tmp_path / "m.gguf"
    path.write_bytes(b"weights")
    seen = observe_model(path, True, HashCache(tmp_path / "file" / "cache"))
    assert seen.md5 == md5(b"weights")


def test_many_at_once_share_the_cache(tmp_path: Path, cache: HashCache) -> None:
    paths = [tmp_path / f"m{n}" for n in range(8)]
    for n, path in enumerate(paths):
        path.write_bytes(bytes([n]) * 1000)
    results: list[list[str | None]] = []

    def work() -> None:
        results.append([observe_model(path, True, cache).md5 for path in paths])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[md5(bytes([n]) * 1000) for n in range(8)]] * 4
    assert len(list(cache.folder.iterdir())) == 8


def test_a_file_that_changes_while_it_is_hashed(
    tmp_path: Path, cache: HashCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"weights")

    def digest(*_: object) -> str:
        path.write_bytes(b"other weights")
        return md5(b"weights")

    monkeypatch.setattr(model_module, "digest_file", digest)
    seen = observe_model(path, True, cache)
    assert (seen.md5, seen.reason) == (None, "the file changed while it was read")


def test_a_folder_model(tmp_path: Path, cache: HashCache) -> None:
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "b").write_bytes(b"1")
    (folder / "sub" / "a").write_bytes(b"22")
    lines = f"b\0{md5(b'1')}\nsub/a\0{md5(b'22')}\n".encode()
    seen = observe_model(folder, True, cache)
    assert (seen.bytes, seen.md5) == (3, md5(lines))
    (tmp_path / "empty").mkdir()
    assert observe_model(tmp_path / "empty", True, cache).reason == "the folder holds no file"
    assert observe_model(tmp_path / "gone", True, cache).reason == "No such file or directory"


def test_where_the_users_cache_lies() -> None:
    given = HashCache.of_user({"XDG_CACHE_HOME": "/c", "HOME": "/h"})
    assert given.folder == Path("/c/kernel-atlas/md5")
    for relative in ("", "relative"):
        standard = HashCache.of_user({"XDG_CACHE_HOME": relative, "HOME": "/h"})
        assert standard.folder == Path("/h/.cache/kernel-atlas/md5")


def test_the_prompt_is_what_was_sent(tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_bytes(b"hello\r\n")
    assert observe_prompt(b"hello", None).as_json() == {"md5": md5(b"hello"), "bytes": 5}
    same = observe_prompt(b"hello\r\n", file)
    assert (same.file, same.file_md5) == (str(file), None)
    other = observe_prompt(b"hello\n", file)
    assert (other.md5, other.file_md5) == (md5(b"hello\n"), md5(b"hello\r\n"))
    assert observe_prompt(b"x", tmp_path / "gone").reason == "No such file or directory"


def test_code_objects_of_the_default_folder(tmp_path: Path) -> None:
    folder = tmp_path / ".hipfire_kernels" / "gfx1201"
    (folder / "sub").mkdir(parents=True)
    (folder / "gemv.hsaco").write_bytes(b"1")
    (folder / "sub" / "norm.hsaco").write_bytes(b"2")
    seen = observe_code_objects({}, tmp_path, "gfx1201")
    lines = f"gemv.hsaco\0{md5(b'1')}\nsub/norm.hsaco\0{md5(b'2')}\n".encode()
    assert seen.as_json() == {
        "folder": str(folder),
        "digest": hashlib.sha256(lines).hexdigest(),
        "count": 2,
        "entries": [["gemv.hsaco", md5(b"1")], ["sub/norm.hsaco", md5(b"2")]],
    }
    (folder / "new.hsaco").write_bytes(b"3")
    grown = observe_code_objects({}, tmp_path, "gfx1201")
    assert grown.digest != seen.digest
    assert set(seen.entries or ()) < set(grown.entries or ())


def test_code_objects_of_a_named_folder(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    seen = observe_code_objects({"HIPFIRE_KERNEL_CACHE": "cache"}, tmp_path, None)
    assert (seen.folder, seen.count) == (str(tmp_path / "cache"), 0)
    assert seen.digest == hashlib.sha256(b"").hexdigest()


def test_code_objects_that_are_not_there(tmp_path: Path) -> None:
    assert set(observe_code_objects({}, tmp_path, None).as_json()) == {"reason"}
    absent = observe_code_objects({}, tmp_path, "gfx906")
    assert (absent.digest, absent.count, absent.reason) == (None, None, "no such folder")
