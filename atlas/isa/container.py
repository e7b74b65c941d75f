"""Files that hold code objects → the device images inside.

A clang offload bundle is ``__CLANG_OFFLOAD_BUNDLE__``, a u64 count, and per entry u64 offset,
u64 size, u64 length of the id and the id. A compressed one is ``CCOB``, u16 version, u16 method
(0 zlib, 1 zstd), then (v1) u32 raw size, u64 hash; (v2) u32 file size, u32 raw size, u64 hash;
(v3) the same three as u64. Bundles may follow each other, also in a host program's .hip_fatbin.
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from atlas.isa import elf
from atlas.isa.problem import MAX_IMAGES, MAX_INFLATED_BYTES, MAX_NAME_BYTES, ObjectProblem
from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED = b"CCOB"

_MAGIC = re.compile(BUNDLE + b"|" + COMPRESSED)
_CHUNK = 1 << 20
_ENTRY = struct.Struct("<QQQ")
_CCOB = struct.Struct("<4sHH")
_CCOB_SIZES = {1: struct.Struct("<IQ"), 2: struct.Struct("<IIQ"), 3: struct.Struct("<QQQ")}

_OTHER_FORMATS = (
    (b"BC\xc0\xde", "LLVM bitcode (-fgpu-rdc)"),
    (b"\xde\xc0\x17\x0b", "wrapped LLVM bitcode (-fgpu-rdc)"),
    (b"\x10\xff\x10\xad", "an .llvm.offloading package"),
    (b"!<arch>\n", "an archive"),
    (b"!<thin>\n", "a thin archive"),
    (b"MZ", "a Windows program"),
    (b"\x64\x86", "a COFF object"),
)


@dataclass(frozen=True, slots=True)
class Image:
    """A device ELF; ``target`` is what its bundle calls it (``gfx90a:xnack-``), if there is one."""

    target: str | None
    data: memoryview


@dataclass(slots=True)
class Contents:
    """What a file holds.

    Attributes:
        container: ``elf``, ``bundle``, ``ccob_v1`` … ``ccob_v3`` or ``host_elf``.
        targets: ids of all bundle entries, host entries included.
        images: device images in file order.
        findings: what could not be read.
    """

    container: str = "unknown"
    targets: list[str] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    inflated: int = 0

    def report(self, code: str, message: str, where: str = "") -> None:
        """Add a finding."""
        self.findings.append(Finding(code, message, where))


def open_container(data: memoryview) -> Contents:
    """Find the device images in a file's bytes; never raises."""
    contents = Contents()
    try:
        _recognise(data, contents)
    except ObjectProblem as problem:
        contents.findings.append(problem.finding)
    return contents


def _recognise(data: memoryview, contents: Contents) -> None:
    start = bytes(data[:24])
    if not data:
        raise ObjectProblem("empty", "The file is empty.")
    if start.startswith(elf.MAGIC):
        _open_elf(data, contents)
    elif start.startswith((BUNDLE, COMPRESSED)):
        contents.container = "bundle"
        _open_bundles(data, contents)
    else:
        _refuse_other(start)
        raise ObjectProblem("unknown_format", "Neither an ELF file nor an offload bundle.")


def _refuse_other(start: bytes) -> None:
    for magic, name in _OTHER_FORMATS:
        if start.startswith(magic):
            raise ObjectProblem("not_amdgpu", f"This is {name}: no device code here.")


def _open_elf(data: memoryview, contents: Contents) -> None:
    file = elf.Elf(data)
    if file.machine == elf.MACHINE_AMDGPU:
        contents.container = "elf"
        contents.images.append(Image(None, data))
        return
    contents.container = "host_elf"
    fat = file.section_named(".hip_fatbin")
    if fat is None:
        package = file.section_named(".llvm.offloading")
        inside = " (it holds an .llvm.offloading package)" if package else ""
        message = f"An ELF file for machine {file.machine}{inside}: no device code here."
        raise ObjectProblem("not_amdgpu", message)
    _open_bundles(file.contents(fat), contents)


def _open_bundles(data: memoryview, contents: Contents) -> None:
    """All bundles one behind the other, whatever padding lies between; a bad one is passed over."""
    position, seen = 0, 0
    while found := _MAGIC.search(data, position):
        seen += 1
        if seen > MAX_IMAGES or len(contents.images) > MAX_IMAGES:
            raise ObjectProblem("bundle_bad_range", f"More than {MAX_IMAGES} bundles or images.")
        rest = data[found.start() :]
        read = _open_plain if found.group() == BUNDLE else _open_compressed
        try:
            position = found.start() + read(rest, contents)
        except ObjectProblem as problem:
            finding = problem.finding
            contents.report(finding.code, finding.message, f"byte {found.start()}")
            position = found.end()
    if not seen:
        contents.report("unknown_format", "The .hip_fatbin section holds no offload bundle.")


def _open_plain(data: memoryview, contents: Contents) -> int:
    """Read one plain bundle; returns how many bytes it takes."""
    entries = list(_entries(data))
    end = max((offset + size for offset, size, _ in entries), default=len(BUNDLE) + 8)
    previous = 0
    for offset, size, name in sorted(entries):
        if size and offset < previous:
            message = f"Bundle entry {name!r} overlaps the one before it."
            raise ObjectProblem("bundle_bad_range", message, name)
        previous = max(previous, offset + size)
    for offset, size, name in entries:
        contents.targets.append(name)
        if size and not name.startswith("host"):
            _add_image(target_of(name), data[offset : offset + size], contents)
    return end


def _entries(data: memoryview) -> Iterator[tuple[int, int, str]]:
    position = len(BUNDLE) + 8
    if len(data) < position:
        raise ObjectProblem("bundle_bad_range", "The bundle ends within its header.")
    (count,) = struct.unpack_from("<Q", data, len(BUNDLE))
    if count > MAX_IMAGES or position + count * _ENTRY.size > len(data):
        raise ObjectProblem("bundle_bad_range", f"The bundle claims {count} entries.")
    for _ in range(count):
        if position + _ENTRY.size > len(data):
            raise ObjectProblem("bundle_bad_range", "The bundle ends within its entry table.")
        offset, size, length = _ENTRY.unpack_from(data, position)
        position += _ENTRY.size
        if length > MAX_NAME_BYTES or position + length > len(data) or offset + size > len(data):
            message = f"A bundle entry reaches to byte {offset + size} of {len(data)}."
            raise ObjectProblem("bundle_bad_range", message)
        name = bytes(data[position : position + length]).decode("utf-8", "backslashreplace")
        position += length
        yield offset, size, name


def _add_image(target: str, data: memoryview, contents: Contents) -> None:
    try:
        start = bytes(data[:24])
        if start.startswith(elf.MAGIC):
            contents.images.append(Image(target, data))
            return
        _refuse_other(start)
        contents.report("unknown_format", "The bundle entry is no ELF file.", target)
    except ObjectProblem as problem:
        contents.report(problem.finding.code, problem.finding.message, target)


def target_of(name: str) -> str:
    """The processor and its features in a bundle entry id.

    ``hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-`` → ``gfx90a:sramecc+:xnack-``.
    """
    at = name.find("gfx")
    return name[at:] if at >= 0 else name


def _open_compressed(data: memoryview, contents: Contents) -> int:
    """Inflate one compressed bundle and read what is in it; returns the bytes it takes."""
    if len(data) < _CCOB.size:
        raise ObjectProblem("bundle_bad_range", "The compressed bundle ends within its header.")
    _, version, method = _CCOB.unpack_from(data)
    sizes = _CCOB_SIZES.get(version)
    if sizes is None or method > 1:
        message = f"A compressed bundle of version {version}, method {method}."
        raise ObjectProblem("unknown_format", message)
    header = _CCOB.size + sizes.size
    if len(data) < header:
        raise ObjectProblem("bundle_bad_range", "The compressed bundle ends within its header.")
    *file_size, raw_size, _hash = sizes.unpack_from(data, _CCOB.size)
    length = file_size[0] if file_size else len(data)
    if not header <= length <= len(data):
        message = f"The compressed bundle claims {length} bytes of {len(data)}."
        raise ObjectProblem("bundle_bad_range", message)
    contents.inflated += raw_size
    if contents.inflated > MAX_INFLATED_BYTES:
        message = f"The bundles inflate to more than {MAX_INFLATED_BYTES} bytes."
        raise ObjectProblem("ccob_too_big", message)
    inflate = _inflate_zlib if method == 0 else _inflate_zstd
    raw, used = inflate(data[header:length], raw_size)
    if contents.container == "bundle":
        contents.container = f"ccob_v{version}"
    if raw[: len(BUNDLE)] != BUNDLE:
        raise ObjectProblem("unknown_format", "What was compressed is no offload bundle.")
    _open_plain(raw, contents)
    return length if file_size else header + used


def _inflate_zlib(data: memoryview, raw_size: int) -> tuple[memoryview, int]:
    """The raw bytes, in chunks up to ``raw_size``, and how many compressed ones they took."""
    stream, raw = zlib.decompressobj(), bytearray()
    try:
        pending: bytes | memoryview = data
        while len(raw) <= raw_size and not stream.eof and pending:
            raw += stream.decompress(pending, min(_CHUNK, raw_size + 1 - len(raw)) or 1)
            pending = stream.unconsumed_tail
    except zlib.error as error:
        raise ObjectProblem("ccob_damaged", f"zlib: {error}.") from error
    if len(raw) != raw_size:
        message = f"The bundle inflates to other than the {raw_size} bytes its header says."
        raise ObjectProblem("ccob_damaged", message)
    return memoryview(raw), len(data) - len(stream.unused_data)


def _inflate_zstd(data: memoryview, raw_size: int) -> tuple[memoryview, int]:
    import pyarrow as pa  # takes 0.2 s, and few objects are compressed this way

    end = len(data)
    try:
        raw = memoryview(pa.Codec("zstd").decompress(data, raw_size))
    except (OSError, ValueError, pa.ArrowException, MemoryError) as error:
        raise ObjectProblem("ccob_damaged", f"zstd: {error}.") from error
    if len(raw) != raw_size:
        raise ObjectProblem("ccob_damaged", f"The bundle does not inflate to {raw_size} bytes.")
    return raw, end
