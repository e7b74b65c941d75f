"""Optional check of an inspection against an installed ``llvm-objdump``.

llvm-objdump crashes on some hostile words and never ends on some symbol tables, so it runs in a
process of its own with a time-out, and its output is read up to a cap.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from atlas.errors import BadUsage, NotFound
from atlas.isa import elf
from atlas.isa.code import without_padding
from atlas.isa.container import open_container
from atlas.isa.decoder import Decoder
from atlas.isa.extents import Layout
from atlas.isa.metadata import Metadata, read_metadata
from atlas.isa.problem import MIB, ObjectProblem
from atlas.isa.tables import table_for
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

Line = tuple[int, int, str | None]
"""Address, length in bytes, opcode (None where nothing decodes)."""

_TIMEOUT_SECONDS = 30.0
_OUTPUT_BYTES = 256 * MIB
_LINE = re.compile(r"^\t(.*?)\s*// ([0-9A-F]+): ((?:[0-9A-F]{8} ?)+)")


@dataclass(frozen=True, slots=True)
class Verification:
    """How one file compares: instructions that were compared, and what differs."""

    compared: int
    findings: list[Finding]


def parse_objdump(text: str) -> Iterator[Line]:
    """Instructions in the output of ``llvm-objdump -d``."""
    for line in text.splitlines():
        found = _LINE.match(line)
        if found:
            opcode, address, words = found.groups()
            yield int(address, 16), 4 * len(words.split()), _opcode(opcode)


def _opcode(text: str) -> str | None:
    if text.startswith("."):
        return None
    return " :: ".join(half.split()[0] for half in text.split("::"))


def verify(data: bytes, tool: str = "llvm-objdump") -> Verification:
    """Compare address, length and opcode of every kernel instruction in a file.

    Raises:
        NotFound: the tool is not installed.
        BadUsage: it is no llvm-objdump.
    """
    if "llvm-objdump" not in tool:
        raise BadUsage(f"Can't verify with {tool!r}.", hint="use llvm-objdump, or a path to one")
    compared, findings = 0, []
    for image in open_container(memoryview(data)).images:
        try:
            native = dict(_native(image.data))
            foreign = {line[0]: line for line in parse_objdump(_run(tool, image.data))}
        except ObjectProblem as problem:
            findings.append(problem.finding)
            continue
        compared += len(native)
        findings.extend(_differences(native, foreign))
    return Verification(compared, findings)


def _native(data: memoryview) -> Iterator[tuple[int, Line]]:
    """What the own decoder makes of all functions of an image, by address."""
    file, metadata = elf.Elf(data), Metadata()
    read_metadata(file, metadata)
    table = table_for(metadata.processor)
    if table is None:
        raise ObjectProblem("no_table", f"No table for {metadata.processor!r}.")
    layout, decoder = Layout(file), Decoder(table)
    for symbol in layout.functions.values():
        extent = layout.extent_of(symbol)
        listing = decoder.decode(layout.code(extent))
        if extent.inferred:
            listing = without_padding(listing)
        for offset, (opcode, length) in zip(listing.offsets, listing.entries, strict=True):
            yield extent.address + offset, (extent.address + offset, length, opcode)


def _differences(native: dict[int, Line], foreign: dict[int, Line]) -> Iterator[Finding]:
    for address, line in native.items():
        other = foreign.get(address)
        if other != line:
            seen = f"{other[2]} of {other[1]} bytes" if other else "no instruction"
            message = f"Here {line[2]} of {line[1]} bytes, llvm-objdump says {seen}."
            yield Finding("verify_mismatch", message, f"{address:#x}")


def _run(tool: str, data: memoryview) -> str:
    """Output of ``llvm-objdump -d -z`` on an image, in its own process."""
    with tempfile.NamedTemporaryFile(suffix=".elf") as file:
        file.write(data)
        file.flush()
        argv = [tool, "-d", "-z", file.name]
        try:
            process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except OSError as error:
            hint = "install LLVM 19 or newer, or leave out --verify-with"
            raise NotFound(f"Can't run {tool}: {error.strerror}.", hint=hint) from error
        timer = threading.Timer(_TIMEOUT_SECONDS, process.kill)
        timer.start()
        try:
            with process:
                output = process.stdout.read(_OUTPUT_BYTES + 1) if process.stdout else b""
                if len(output) > _OUTPUT_BYTES:
                    process.kill()
        finally:
            timer.cancel()
    if process.returncode or len(output) > _OUTPUT_BYTES:
        raise ObjectProblem("verify_failed", f"{tool} ended with status {process.returncode}.")
    return output.decode("utf-8", "replace")
