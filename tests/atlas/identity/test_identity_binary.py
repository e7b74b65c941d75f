from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.identity.binary import BinaryIdentity, observe_binary
from atlas.identity.command import Started, simple_commands, started_by
from atlas.identity.elf import build_id, is_elf

BUILD_ID = bytes(range(20))


def elf(wide: bool = True, order: str = "<", note: bytes | None = None, align: int = 4) -> bytes:
    """A minimal ELF with one note segment."""
    if note is None:
        note = struct.pack(order + "3I", 4, 20, 3) + b"GNU\0" + BUILD_ID
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1 if order == "<" else 2, 1]) + bytes(9)
    if wide:
        head = struct.pack(order + "HHIQQQIHHHHHH", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
        segment = struct.pack(order + "2I6Q", 4, 4, 120, 0, 0, len(note), len(note), align)
    else:
        head = struct.pack(order + "HHIIIIIHHHHHH", 2, 3, 1, 0, 52, 0, 0, 52, 32, 1, 0, 0, 0)
        segment = struct.pack(order + "8I", 4, 84, 0, 0, len(note), len(note), 4, align)
    return ident + head + segment + note


def md5(path: Path) -> str:
    return hashlib.md5(path.read_bytes()).hexdigest()


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    path = tmp_path / "target" / "release" / "bench"
    path.parent.mkdir(parents=True)
    path.write_bytes(elf())
    path.chmod(0o755)
    return path


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_an_elf_is_known_by_digest_size_time_and_build_id(bench: Path, tmp_path: Path) -> None:
    seen = observe_binary(["./target/release/bench", "model", "--gen", "5"], tmp_path)
    assert seen == BinaryIdentity(
        kind="elf",
        path=str(bench),
        md5=md5(bench),
        bytes=bench.stat().st_size,
        mtime_us=bench.stat().st_mtime_ns // 1000,
        build_id=BUILD_ID.hex(),
    )
    assert "reason" not in seen.as_json()


@pytest.mark.parametrize(
    "command",
    [
        "./target/release/bench --x",
        "FOO=1 BAR='a b' ./target/release/bench",
        "env -u X FOO=1 ./target/release/bench",
        "sudo -u root nice -n 5 ./target/release/bench",
        "nice -10 taskset -c 0-3 ./target/release/bench",
        "taskset 0x3 timeout -k 5 60 ./target/release/bench > out.txt 2>&1",
        "numactl --cpunodebind=0 -m 0 ./target/release/bench",
        "time -p stdbuf -oL ./target/release/bench",
        "rocprofv3 --kernel-trace -d out -- ./target/release/bench",
        "cd target/release && ./bench",
        "$TOP/target/release/bench --x",
        "perf stat -e cycles -o out.txt ./target/release/bench",
        "set -e; mkdir -p out\n./target/release/bench | tee log",
        "if ./target/release/bench; then echo ok; fi",
        "exec \\\n  ./target/release/bench",
        ["env", "FOO=1", "./target/release/bench"],
    ],
)
def test_launchers_and_shell_text_are_seen_through(
    bench: Path, tmp_path: Path, command: str | list[str]
) -> None:
    tools = tmp_path / "tools"
    script(tools / "perf", "#!/bin/sh\n")
    seen = observe_binary(command, tmp_path, {"PATH": str(tools), "TOP": str(tmp_path)})
    assert (seen.kind, seen.md5) == ("elf", md5(bench))


@pytest.mark.parametrize(
    "text",
    [
        '#!/bin/bash\nset -e\nmkdir -p out\nexec ./target/release/bench "$@"\n',
        '#!/bin/sh\n# ./target/release/other\n "$(dirname "$0")/../target/release/bench" "$@"\n',
        """#!/bin/bash
        DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
        "$DIR/../target/release/bench" "$@"
        """,
        '#!/bin/bash\nBIN=./target/release/bench\n"$BIN" --x\n',
        '#!/bin/bash\n"${BIN:-target/release/bench}" --x\n',
        '#!/bin/bash\n"$UNKNOWN/bench" || ${0%/*}/../target/release/bench\n',
        "#!/usr/bin/env python3\nsubprocess.run(['target/release/bench', 'x'])\n",
        "/usr/bin/env FOO=1 /bin/bash -c './target/release/bench'\n",
    ],
)
def test_a_wrapper_names_its_elf(bench: Path, tmp_path: Path, text: str) -> None:
    (bench.parent / "other").write_bytes(elf() + b"other")
    wrapper = script(tmp_path / "scripts" / "run.sh", text)
    seen = observe_binary(["scripts/run.sh"], tmp_path)
    assert (seen.kind, seen.md5, seen.build_id) == ("script", md5(bench), BUILD_ID.hex())
    assert seen.script is not None
    assert (seen.script.path, seen.script.md5) == (str(wrapper), md5(wrapper))
    assert seen.as_json()["script"]["md5"] == md5(wrapper)


def test_a_wrapper_names_a_program_on_path(bench: Path, tmp_path: Path) -> None:
    script(tmp_path / "run.sh", "#!/bin/sh\nset -e\necho start\nbench --x\n")
    path = f"{bench.parent}{os.pathsep}{os.environ['PATH']}"
    seen = observe_binary(["./run.sh"], tmp_path, {"PATH": path})
    assert seen.md5 == md5(bench)


def test_libraries_and_tools_are_not_the_program(bench: Path, tmp_path: Path) -> None:
    (tmp_path / "libx.so.1").write_bytes(elf() + b"library")
    (tmp_path / "k.hsaco").write_bytes(elf() + b"kernel")
    text = f"LD_PRELOAD=./libx.so.1 {shutil.which('env')} ./k.hsaco ./target/release/bench\n"
    script(tmp_path / "run.sh", text)
    assert observe_binary(["./run.sh"], tmp_path).md5 == md5(bench)


def test_a_script_without_an_elf_is_its_own_digest(tmp_path: Path) -> None:
    fake = script(tmp_path / "bench", "#!/usr/bin/env python3\nprint('SUMMARY')\n")
    seen = observe_binary(["./bench"], tmp_path)
    assert (seen.kind, seen.path, seen.md5) == ("script", str(fake), md5(fake))
    assert seen.script is not None
    assert seen.reason == "the script names no ELF file"


def test_an_interpreter_and_its_script(tmp_path: Path) -> None:
    written = script(tmp_path / "x.py", "print(1)\n")
    seen = observe_binary([sys.executable, "-X", "dev", "x.py", "arg"], tmp_path)
    assert seen.kind == "script"
    assert seen.md5 == md5(Path(sys.executable))
    assert seen.script is not None
    assert seen.script.md5 == md5(written)
    module = observe_binary([sys.executable, "-m", "json.tool"], tmp_path)
    assert (module.kind, module.script) == ("script", None)
    gone = observe_binary([sys.executable, "gone.py"], tmp_path)
    assert gone.reason == "no such script: gone.py"


def test_shell_text_in_an_argv(bench: Path, tmp_path: Path) -> None:
    seen = observe_binary(["bash", "-lc", "cd target && release/bench"], tmp_path)
    assert (seen.kind, seen.md5) == ("script", md5(bench))
    assert observe_binary(["sh", "-c", "./gone"], tmp_path).kind == "missing"


def test_what_is_not_there_or_not_a_program(tmp_path: Path) -> None:
    assert observe_binary(["./gone"], tmp_path).as_json() == {
        "kind": "missing",
        "path": "./gone",
        "reason": "no such program",
    }
    script(tmp_path / "perf", "#!/bin/sh\n")
    behind = observe_binary(["./perf", "record", "./gone"], tmp_path)
    assert behind.as_json() == {"kind": "missing", "reason": "no program was found behind perf"}
    assert observe_binary([], tmp_path).reason == "the command names no program"
    assert observe_binary("   ", tmp_path).kind == "missing"
    (tmp_path / "blob").write_bytes(b"\0\1\2")
    assert observe_binary(["./blob"], tmp_path).kind == "other"
    assert observe_binary("./a'b", tmp_path).kind == "missing"
    assert observe_binary(["./nul\0"], tmp_path).kind == "missing"


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("order", ["<", ">"])
def test_build_ids_of_every_class_and_byte_order(tmp_path: Path, wide: bool, order: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(elf(wide, order))
    assert build_id(path) == BUILD_ID.hex()
    other = struct.pack(order + "3I", 4, 3, 1) + b"GNU\0abc\0"
    mine = struct.pack(order + "3I", 4, 20, 3) + b"GNU\0" + BUILD_ID
    path.write_bytes(elf(wide, order, other + mine))
    assert build_id(path) == BUILD_ID.hex()


def test_the_build_id_of_a_real_program() -> None:
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("readelf is not installed")
    program = Path(sys.executable).resolve()
    notes = subprocess.run([readelf, "-n", program], capture_output=True, text=True, check=True)
    expected = [line.split()[-1] for line in notes.stdout.splitlines() if "Build ID" in line]
    assert [build_id(program)] == (expected or [None])


def test_damaged_elf_files_have_no_build_id(tmp_path: Path) -> None:
    path = tmp_path / "x"
    whole = elf()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert build_id(path) is None
    assert build_id(tmp_path / "gone") is None
    assert not is_elf(tmp_path)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 140))
def test_no_bytes_make_the_reader_fail(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "noise.elf"
    whole = elf()
    path.write_bytes(whole[:at] + noise + whole[at + len(noise) :])
    found = build_id(path)
    assert found is None or bytes.fromhex(found)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.text(max_size=80))
def test_no_text_makes_the_command_reader_fail(text: str) -> None:
    assert all(simple_commands(text))
    assert isinstance(started_by(text), Started)
    assert isinstance(started_by(text.split()), Started)
