"""Files made to exhaust a reader: each ends soon, in little memory, with its finding."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
import zlib
from typing import TYPE_CHECKING

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from isa_testdata import TOOLS, bundle, data_of, descriptor, elf, metadata, note

from atlas.isa import inspect_bytes
from atlas.isa.problem import MAX_INFLATED_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

sys.path.append(str(TOOLS))
from fuzz_isa import inspect_mutants  # a script beside the package, not in it

PROGRAM = """
import json, re, sys, time
from pathlib import Path
from atlas.isa import inspect_paths
start = time.process_time()  # others may use the machine too
found = inspect_paths(sys.argv[1:])
json.dump({
    "seconds": time.process_time() - start,
    # Not getrusage: its peak starts with what the parent held when it forked.
    "mib": int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024,
    "codes": sorted({finding.code for finding in found.findings}),
    "exit_code": found.exit_code,
    "sound": sum(file.facts.sound for file in found.objects),
}, sys.stdout)
"""


def zlib_bomb() -> bytes:
    size = MAX_INFLATED_BYTES
    packer, body = zlib.compressobj(1), b""
    for _ in range(size >> 20):
        body += packer.compress(bytes(1 << 20))
    body += packer.flush()
    return struct.pack("<4sHHIIQ", b"CCOB", 2, 0, 24 + len(body), size, 0) + body


def lying_zlib_bomb() -> bytes:
    bomb = bytearray(zlib_bomb())
    bomb[12:16] = struct.pack("<I", 1000)
    return bytes(bomb)


def too_big() -> bytes:
    return struct.pack("<4sHHIIQ", b"CCOB", 2, 0, 64, 0xFFFFFFFF, 0) + bytes(64)


def metadata_bomb() -> bytes:
    return elf(bytes(8), note(b"\xdd\x00\x10\x00\x00" + b"\x90" * (1 << 20)), [("f", 0, 8)])


def many_scalars() -> bytes:
    return elf(bytes(8), note(msgpack.packb([f"{n:02x}" for n in range(256)] * 3500)))


def random_code() -> bytes:
    code = random.Random(1).randbytes(24 << 20)
    return elf(code, functions=[("f", 0, len(code))])


def many_views_of_the_same_code() -> bytes:
    code = random.Random(1).randbytes(1 << 20)
    return elf(code, functions=[(f"f{n}", n, len(code) - n) for n in range(0, 4000, 4)])


def absurd_symtab() -> bytes:
    return elf(bytes(8), functions=[("f", 0, 8)], symtab_size=1 << 62)


def many_symbols() -> bytes:
    return elf(bytes(1 << 16), functions=[(f"f{n}", n % 4096, 8) for n in range(30_000)])


def many_kernels() -> bytes:
    entries = [{".name": f"k{n}", ".symbol": "k.kd"} for n in range(20_000)]
    return elf(bytes(8), metadata(entries), [("k", 0, 8)], [("k.kd", descriptor())])


def many_loops() -> bytes:
    code = struct.pack("<2I", 0x7E000280, 0xBFA0FFFE) * (6 << 17)
    size = len(code) // 8000 // 8 * 8
    return elf(code, functions=[(f"f{n}", n * size, size) for n in range(9000)])


def many_opcodes() -> bytes:
    code = random.Random(1).randbytes(2 << 20)
    size = len(code) // 8000 // 4 * 4
    return elf(code, functions=[(f"f{n}", n * size, size) for n in range(9000)])


def many_sections() -> bytes:
    data = bytearray(elf(bytes(64 << 20)))
    data[40:48] = struct.pack("<Q", 64)  # the table is all zeros, but for the count
    data[60:62] = bytes(2)
    data[64 + 32 : 64 + 40] = struct.pack("<Q", 1 << 20)
    return bytes(data)


def many_notes() -> bytes:
    return elf(bytes(8), bytes(48 << 20))


def overlapping_entries() -> bytes:
    data = bytearray(bundle([("hip--gfx1100", elf())] * 2))
    data[32:48] = data[68:84]
    return bytes(data)


def many_bundles() -> bytes:
    return bundle([]) * 100_000


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (zlib_bomb, "unknown_format"),
        (lying_zlib_bomb, "ccob_damaged"),
        (too_big, "ccob_too_big"),
        (metadata_bomb, "metadata_msgpack"),
        (many_scalars, "metadata_msgpack"),
        (random_code, "code_too_big"),
        (many_views_of_the_same_code, "code_too_big"),
        (absurd_symtab, "elf_truncated"),
        (many_symbols, "elf_too_many"),
        (many_kernels, "elf_too_many"),
        (many_loops, "elf_too_many"),
        (many_opcodes, "elf_too_many"),
        (many_sections, "elf_too_many"),
        (many_notes, "elf_too_many"),
        (overlapping_entries, "bundle_bad_range"),
        (many_bundles, "bundle_bad_range"),
    ],
)
def test_hostile_files_end_soon_in_little_memory(
    make: Callable[[], bytes], code: str, tmp_path: Path
) -> None:
    (tmp_path / "a-hostile.hsaco").write_bytes(make())
    (tmp_path / "b-sound.hsaco").write_bytes(data_of("spill-gfx1100-O3"))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, check=True, timeout=60
    )
    answer = json.loads(done.stdout)
    assert code in answer["codes"]
    assert answer["exit_code"] == 2
    assert answer["sound"] == 1  # the run went on
    assert answer["seconds"] < 5
    assert answer["mib"] < 400


def test_mutated_objects_never_raise() -> None:
    codes = inspect_mutants(500)
    assert {"elf_truncated", "metadata_msgpack", "undecoded", "ccob_damaged"} <= set(codes)


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"\x7fELF\x02\x01", b"CCOB\x02\x00", bundle([])[:24]]),
)
def test_arbitrary_bytes_never_raise(data: bytes, start: bytes) -> None:
    facts = inspect_bytes(start + data)
    assert facts.findings
    assert facts.images == [] or facts.payload["container"] != "unknown"


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.binary(max_size=200), st.binary(min_size=64, max_size=64))
def test_arbitrary_parts_of_an_elf_never_raise(code: bytes, payload: bytes, kd: bytes) -> None:
    data = elf(code, note(payload), [("f", 0, len(code))], [("k.kd", kd)])
    (image,) = inspect_bytes(data).images
    json.dumps(image, allow_nan=False)
    assert image["arch"] in {"gfx1100", ""} or payload


def test_beyond_the_code_limit_metadata_is_still_read() -> None:
    size = (6 << 20) + 4
    entry = {".name": "k", ".symbol": "k.kd", ".vgpr_count": 5}
    facts = inspect_bytes(elf(bytes(size), metadata([entry]), [("k", 0, size)]))
    assert [finding.code for finding in facts.findings] == ["code_too_big"]
    (kernel,) = facts.images[0]["kernels"]
    assert (kernel["vgpr_count"], kernel["code_bytes"], kernel["code_sha256"]) == (5, size, None)
