"""Make the opcode tables of ``atlas/isa/data`` by asking installed LLVM libraries.

For every processor and encoding family each value of the opcode field is put, with harmless
filler operands, in front of LLVM's disassembler; the mnemonic and length of what decodes is kept.
The newest LLVM wins, older ones add what they alone know, and a disagreement about a mnemonic
stops the run. Disassemblers can crash on odd words, so each one works in a process of its own.

Usage: python tools/isa_tables.py [--llvm 22 --llvm 19] [--output atlas/isa/data]
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import itertools
import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isa_fillers import FIRST, TAILS, VARIANT_TAILS

from atlas.isa.encodings import GENERATIONS, Family, Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OUTPUT = Path(__file__).parent.parent / "atlas" / "isa" / "data"

PROCESSORS = {
    "gfx9": "900 902 904 906 908 909 90a 90c 940 941 942 950 9-generic 9-4-generic",
    "gfx10": "1010 1011 1012 1013 1030 1031 1032 1033 1034 1035 1036 10-1-generic 10-3-generic",
    "gfx11": "1100 1101 1102 1103 1150 1151 1152 1153 11-generic",
    "gfx12": "1200 1201 12-generic",
}

Opcodes = dict[str, dict[int, tuple[str, int]]]

_MINIMUM = {"VOP3": 8, "VOP3P": 8}


class Disassembler:
    """LLVM's disassembler for one processor, through its C interface."""

    def __init__(self, library: str, processor: str) -> None:
        self._llvm = ctypes.CDLL(library)
        for part in ("TargetInfo", "TargetMC", "Disassembler"):
            getattr(self._llvm, f"LLVMInitializeAMDGPU{part}")()
        self._llvm.LLVMCreateDisasmCPU.restype = ctypes.c_void_p
        self._llvm.LLVMDisasmInstruction.restype = ctypes.c_size_t
        self._llvm.LLVMDisasmInstruction.argtypes = [
            ctypes.c_void_p,
            ctypes.c_char_p,
            ctypes.c_uint64,
            ctypes.c_uint64,
            ctypes.c_char_p,
            ctypes.c_size_t,
        ]
        self._context = self._llvm.LLVMCreateDisasmCPU(
            b"amdgcn-amd-amdhsa", processor.encode(), None, 0, None, None
        )
        self._text = ctypes.create_string_buffer(512)

    def version(self) -> str:
        """Version of the library, such as ``19.1.7``."""
        parts = [ctypes.c_uint() for _ in range(3)]
        self._llvm.LLVMGetVersion(*(ctypes.byref(part) for part in parts))
        return ".".join(str(part.value) for part in parts)

    def read(self, code: bytes) -> tuple[str, int] | None:
        """Opcode and length of the first instruction; None when nothing decodes."""
        length = self._llvm.LLVMDisasmInstruction(
            self._context, code, len(code), 0, self._text, len(self._text)
        )
        if not length:
            return None
        text = self._text.value.decode()
        halves = (half.split() for half in text.split("::"))
        return " :: ".join(half[0] for half in halves if half), length


def first_dword(family: Family, opcode: int) -> int:
    """First dword of the family with the opcode in place."""
    word = family.match | (opcode & family.opcode.mask) << family.opcode.shift
    high = opcode >> family.opcode.mask.bit_length()
    if family.opcode_high and not family.opcode_high.dword:
        word |= high << family.opcode_high.shift
    return word


def candidates(family: Family, opcode: int, suffix: str) -> Iterator[tuple[int, ...]]:
    """Words to try for an opcode, plain or as the variant that ``suffix`` names."""
    base = first_dword(family, opcode)
    high = opcode >> family.opcode.mask.bit_length() if family.opcode_high else 0
    in_second = family.opcode_high is not None and family.opcode_high.dword == 1
    tails: list[tuple[int, ...]] = TAILS.get(family.name, [(0,)])
    fixed = family.mask | family.opcode.mask << family.opcode.shift
    firsts = [bits for bits in FIRST.get(family.name, [0]) if not bits & fixed]
    for tail, first in itertools.product(tails, firsts):
        second = tail[0] | (high << 21 if in_second else 0)
        if not suffix:
            yield (base | first, second, *tail[1:])
            continue
        source = next(value for value, name in family.variants.items() if name == suffix)
        for control in VARIANT_TAILS[suffix]:
            if family.literals[0].dword:
                yield (base | first, second & ~0x1FF | source, *control)
            else:
                yield (base | first & ~0x1FF | source, *control)


def _walk(llvm: Disassembler, family: Family, suffix: str = "") -> dict[int, tuple[str, int]]:
    bits = family.opcode.mask.bit_length() + (1 if family.opcode_high else 0)
    found = {}
    for opcode in range(1 << bits):
        for words in candidates(family, opcode, suffix):
            padded = struct.pack("<8I", *words, *[0] * (8 - len(words)))
            hit = llvm.read(padded)
            if hit and _plausible(family, hit, suffix):
                found[opcode] = hit
                break
    return found


def _plausible(family: Family, hit: tuple[str, int], suffix: str) -> bool:
    """Whether the words decoded as the family meant, not as a shorter neighbour."""
    if suffix:
        named = hit[0].endswith(("_sdwa", "_dpp")) or hit[0].startswith("v_cmp")
        return named and hit[1] >= _MINIMUM.get(family.name, 4) + 4
    return hit[1] >= _MINIMUM.get(family.name, 4)


def _walk_pairs(llvm: Disassembler, family: Family, second: Field) -> Opcodes:
    """X and Y operations of VOPD, each beside a partner that always decodes."""
    move = 8
    tables: Opcodes = {"VOPD": {}, "VOPD_Y": {}}
    for half, place in (("VOPD", family.opcode), ("VOPD_Y", second)):
        other = second if half == "VOPD" else family.opcode
        for opcode in range(place.mask + 1):
            word = family.match | opcode << place.shift | move << other.shift | 0x100
            hit = llvm.read(struct.pack("<4I", word, 0x01000100 & 0x1FF | 0x01020000, 0, 0))
            if hit:
                name = hit[0].split(" :: ")[half != "VOPD"]
                tables[half][opcode] = (name, hit[1])
    return tables


def _walk_scaled(llvm: Disassembler, family: Family) -> dict[int, tuple[str, int]]:
    """Scaled matrix instructions of gfx950: 16 bytes, the opcode in the third dword."""
    found = {}
    for opcode in range(0x80):
        words = (family.match, 0x00023318, 0xD3800800 | opcode << 16, 0x04521904)
        hit = llvm.read(struct.pack("<4I", *words))
        if hit and hit[1] == 16:
            found[opcode] = hit
    return found


def ask(library: str, processor: str, generation: str) -> dict[str, object]:
    """Everything one LLVM knows of one processor (runs in the worker process)."""
    llvm = Disassembler(library, processor)
    tables: Opcodes = {}
    for family in GENERATIONS[generation]:
        if family.second_opcode:
            tables |= _walk_pairs(llvm, family, family.second_opcode)
        elif family.name == "VOP3PX":
            tables["VOP3PX"] = _walk_scaled(llvm, family)
        else:
            tables[family.name] = _walk(llvm, family)
            for suffix in dict.fromkeys(family.variants.values()):
                tables[family.name + suffix] = _walk(llvm, family, suffix)
    return {"version": llvm.version(), "tables": tables}


def unite(newer: Opcodes, older: Opcodes) -> Opcodes:
    """Tables of both; where both know an opcode they must agree on its name."""
    united = {name: dict(table) for name, table in newer.items()}
    for name, table in older.items():
        for opcode, (mnemonic, length) in table.items():
            known = united.setdefault(name, {}).setdefault(opcode, (mnemonic, length))
            if known[0] != mnemonic:
                message = f"{name} {opcode:#x}: {known[0]} or {mnemonic}"
                raise SystemExit(message)
    return united


def _library(version: str) -> str:
    config = [f"llvm-config-{version}", "--libdir"]
    folder = subprocess.run(config, check=True, capture_output=True, text=True).stdout.strip()
    return str(Path(folder) / f"libLLVM-{version}.so")


def _ask_in_process(library: str, processor: str, generation: str) -> dict[str, Any] | None:
    argv = [sys.executable, __file__, "--worker", library, processor, generation]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=600)
    if "not a recognized processor" in done.stderr:
        return None
    if done.returncode:
        raise SystemExit(done.stderr)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _with_numbers(tables: dict[str, dict[str, list[Any]]]) -> Opcodes:
    return {
        name: {int(opcode): (str(hit[0]), int(hit[1])) for opcode, hit in table.items()}
        for name, table in tables.items()
    }


def table_of(libraries: Iterable[str], processor: str, generation: str) -> dict[str, object]:
    """The table of a processor from all LLVMs that know it, newest first."""
    versions: list[str] = []
    tables: Opcodes = {}
    for library in libraries:
        answer = _ask_in_process(library, processor, generation)
        if answer is None:
            continue
        versions.append(str(answer["version"]))
        tables = unite(tables, _with_numbers(answer["tables"]))
    compact = {
        name: [[opcode, *hit] for opcode, hit in sorted(table.items())]
        for name, table in sorted(tables.items())
    }
    return {"generation": generation, "llvm": versions, "tables": compact}


def write_tables(output: Path, libraries: list[str]) -> None:
    """One compressed file per distinct table, and an index of processors."""
    output.mkdir(parents=True, exist_ok=True)
    index: dict[str, str] = {}
    written: dict[str, str] = {}
    for generation, names in PROCESSORS.items():
        for short in names.split():
            processor = f"gfx{short}"
            table = table_of(libraries, processor, generation)
            text = json.dumps(table, separators=(",", ":"), sort_keys=True)
            name = written.setdefault(text, processor)
            if name == processor:
                (output / f"{name}.json.z").write_bytes(zlib.compress(text.encode(), 9))
            index[processor] = name
            print(processor, name, table["llvm"])
    version = hashlib.sha256("\n".join(written).encode()).hexdigest()[:12]
    document = {"version": version, "processors": index}
    (output / "index.json").write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")


def main() -> None:
    """Parse the command line; the hidden worker form answers for one LLVM and processor."""
    if sys.argv[1:2] == ["--worker"]:
        print(json.dumps(ask(*sys.argv[2:5])))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llvm", action="append", help="major version, newest first (22, 19)")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    write_tables(options.output, [_library(version) for version in options.llvm or ["22", "19"]])


if __name__ == "__main__":
    main()
