"""Build the test objects of ``tests/data/isa`` and what LLVM says about them.

Needs clang-19, lld-19 and llvm-19, no ROCm. Beside each device object ``NAME.hsaco`` stands
``NAME.lst.z``: zlib-compressed lines ``address length opcode`` from llvm-objdump -d -z.
``expected.json`` has the kernels' metadata from llvm-readobj and the occupancy from the
compiler's assembly comments.

Usage: python tools/build_isa_objects.py [--output tests/data/isa/objects]
"""

from __future__ import annotations

import argparse
import json
import re
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

from atlas.isa.verify import parse_objdump

ROOT = Path(__file__).parent.parent / "tests" / "data" / "isa"
SOURCES = ROOT / "src"
SUFFIX = "19"

_CLANG = [
    f"clang-{SUFFIX}",
    *["-x", "hip", "-nogpuinc", "-nogpulib", "-std=c++17", "-Wno-unused-command-line-argument"],
]
_DEVICE = ["--cuda-device-only", "--no-gpu-bundle-output"]
_ALL = ["gfx906", "gfx1010", "gfx1030", "gfx1100", "gfx1151", "gfx1201"]
_COUNT_FIELDS = re.compile(r"^[ -]{4}\.(\w+): +(\S.*)$")


@dataclass(frozen=True, slots=True)
class Build:
    """One device object: source stem, target, what the name adds, and further flags."""

    source: str
    target: str
    label: str = "O3"
    flags: tuple[str, ...] = ("-O3",)

    @property
    def name(self) -> str:
        """Stem of the files it makes."""
        return f"{self.source}-{self.target.replace(':', '_')}-{self.label}"


def builds() -> list[Build]:
    """Everything that is built."""
    plain = ["gemv_int4", "gemv_multirow", "rmsnorm_rotate", "spill", "two_kernels", "odd_names"]
    found = [Build(source, target) for source in plain for target in _ALL]
    found += [Build("wmma_gemm", target) for target in ("gfx1100", "gfx1151", "gfx1201")]
    found += [Build("mfma_gemm", target) for target in ("gfx908", "gfx90a", "gfx942")]
    broad = [*_ALL, "gfx900", "gfx908", "gfx90a", "gfx942", "gfx1012", "gfx1102", "gfx1150"]
    found += [Build("many_operations", target) for target in broad]
    found += [Build("many_operations", target, "O0", ("-O0",)) for target in _ALL]
    unoptimised = ["gemv_int4", "rmsnorm_rotate", "two_kernels"]
    for target in ("gfx906", "gfx1010", "gfx1030", "gfx1100", "gfx1201"):
        found += [Build(source, target, "O0", ("-O0",)) for source in unoptimised]
    wave64 = ("-O3", "-mwavefrontsize64")
    for target in ("gfx1010", "gfx1030", "gfx1100", "gfx1201"):
        found += [Build(source, target, "wave64", wave64) for source in ("gemv_int4", "spill")]
    for version in (4, 5, 6):
        flags = ("-O3", f"-mcode-object-version={version}")
        found.append(Build("two_kernels", "gfx1100", f"v{version}", flags))
    found.append(Build("gemv_int4", "gfx11-generic", "v6", ("-O3", "-mcode-object-version=6")))
    found.append(Build("gemv_int4", "gfx90a:xnack+"))
    found.append(Build("gemv_int4", "gfx906:sramecc+:xnack-"))
    return found


def _run(argv: list[str]) -> str:
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def compile_object(build: Build, output: Path) -> None:
    """Compile one device object."""
    source = str(SOURCES / f"{build.source}.hip")
    target = f"--offload-arch={build.target}"
    _run([*_CLANG, *_DEVICE, target, *build.flags, "-o", str(output), source])


def listing_of(path: Path) -> bytes:
    """llvm-objdump's instructions of an object as lines ``address length opcode``."""
    text = _run([f"llvm-objdump-{SUFFIX}", "-d", "-z", str(path)])
    lines = (f"{address} {length} {opcode}" for address, length, opcode in parse_objdump(text))
    return "\n".join(lines).encode()


def metadata_of(path: Path) -> dict[str, dict[str, object]]:
    """Kernel name → fields, from the note as llvm-readobj prints it."""
    kernels: list[dict[str, object]] = []
    for line in _run([f"llvm-readobj-{SUFFIX}", "--notes", str(path)]).splitlines():
        if line.startswith("  - ."):
            kernels.append({})
        found = _COUNT_FIELDS.match(line)
        if found and kernels:
            kernels[-1][found[1]] = _scalar(found[2])
    return {str(kernel["name"]): kernel for kernel in kernels if "name" in kernel}


def _scalar(text: str) -> object:
    if text in {"true", "false"}:
        return text == "true"
    if text.isdigit():
        return int(text)
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return json.loads(text) if text.startswith('"') else text


def occupancy_of(build: Build) -> dict[str, int]:
    """Kernel name → waves per SIMD, from the comments of the compiler's assembly."""
    source = str(SOURCES / f"{build.source}.hip")
    target = f"--offload-arch={build.target}"
    text = _run([*_CLANG, *_DEVICE, target, *build.flags, "-S", "-o", "-", source])
    found: dict[str, int] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("\t.amdhsa_kernel "):
            name = _unquoted(line.removeprefix("\t.amdhsa_kernel "))
        elif line.startswith("; Occupancy: "):
            found[name] = int(line.removeprefix("; Occupancy: "))
    return found


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    octal = re.compile(rb"\\([0-7]{3})")
    raw = text[1:-1].replace('\\"', '"').encode()
    return octal.sub(lambda m: bytes([int(m[1], 8)]), raw).decode()


def bundle(output: Path, parts: dict[str, Path], *flags: str) -> None:
    """Bundle device objects as clang does, after an empty host entry."""
    ids = ["host-x86_64-unknown-linux-gnu", *(f"hipv4-amdgcn-amd-amdhsa--{t}" for t in parts)]
    inputs = [f"-input={path}" for path in ("/dev/null", *parts.values())]
    argv = [f"clang-offload-bundler-{SUFFIX}", "-type=o", f"-targets={','.join(ids)}", *inputs]
    _run([*argv, f"-output={output}", *flags])


def write_containers(output: Path) -> None:
    """Bundles, compressed bundles of every version and method, and a host program."""
    names = ("gfx1100", "gfx906", "gfx1201")
    parts = {target: output / f"two_kernels-{target}-O3.hsaco" for target in names}
    bundle(output / "bundle.hsaco", parts)
    bundle(output / "ccob_v2_zstd.hsaco", parts, "-compress")
    plain = (output / "bundle.hsaco").read_bytes()
    packed = (output / "ccob_v2_zstd.hsaco").read_bytes()
    stored_hash, zstd = struct.unpack_from("<Q", packed, 16)[0], packed[24:]
    zlibbed = zlib.compress(plain, 9)
    # clang-19 writes version 2 with zstd only; the other headers are put on by hand.
    forms = {
        "ccob_v1_zlib": struct.pack("<4sHHIQ", b"CCOB", 1, 0, len(plain), stored_hash) + zlibbed,
        "ccob_v1_zstd": struct.pack("<4sHHIQ", b"CCOB", 1, 1, len(plain), stored_hash) + zstd,
        "ccob_v2_zlib": struct.pack(
            "<4sHHIIQ", b"CCOB", 2, 0, 24 + len(zlibbed), len(plain), stored_hash
        )
        + zlibbed,
        "ccob_v3_zstd": struct.pack(
            "<4sHHQQQ", b"CCOB", 3, 1, 32 + len(zstd), len(plain), stored_hash
        )
        + zstd,
    }
    for name, data in forms.items():
        (output / f"{name}.hsaco").write_bytes(data)
    (output / "back_to_back.hsaco").write_bytes(packed + bytes(100) + plain)
    _write_host_programs(output)


def _write_host_programs(output: Path) -> None:
    source = str(SOURCES / "two_kernels.hip")
    targets = ["--offload-arch=gfx1100", "--offload-arch=gfx1201"]
    host = output / "host.o"
    _run([*_CLANG, *targets, "-O3", "-c", "-o", str(host), source])
    argv = [f"clang-{SUFFIX}", "-shared", f"-fuse-ld=lld-{SUFFIX}", "-nostdlib", "-s"]
    _run([*argv, "-o", str(output / "host.so"), str(host)])
    bitcode = [*_CLANG, *_DEVICE, "--offload-arch=gfx1100", "-O3", "-c", "-emit-llvm", "-fgpu-rdc"]
    _run([*bitcode, "-o", str(output / "bitcode.bc"), source])


def main() -> None:
    """Build everything into the output folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "objects")
    output: Path = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    expected: dict[str, object] = {}
    for build in builds():
        path = output / f"{build.name}.hsaco"
        compile_object(build, path)
        path.with_suffix(".lst.z").write_bytes(zlib.compress(listing_of(path), 9))
        expected[build.name] = {
            "target": build.target,
            "kernels": metadata_of(path),
            "occupancy": occupancy_of(build),
        }
        print(build.name)
    write_containers(output)
    versions = _run([f"clang-{SUFFIX}", "--version"]).splitlines()[0]
    document = {"made_with": versions, "objects": expected}
    text = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False)
    (output / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
