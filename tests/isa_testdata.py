"""The committed code objects, what LLVM said about them, and ELF files made to order."""

from __future__ import annotations

import json
import struct
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgpack

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent / "data" / "isa"
OBJECTS = ROOT / "objects"
TOOLS = Path(__file__).parent.parent / "tools"

AMDGPU, X86_64 = 224, 62
FLAG_GFX1100 = 0x41


@cache
def expected() -> dict[str, Any]:
    """Object name → what LLVM said of its kernels."""
    document: dict[str, Any] = json.loads((OBJECTS / "expected.json").read_text(encoding="utf-8"))
    objects: dict[str, Any] = document["objects"]
    return objects


def names() -> list[str]:
    """Names of all device objects that have an llvm-objdump list."""
    return sorted(path.name.removesuffix(".lst.z") for path in OBJECTS.glob("*.lst.z"))


def path_of(name: str) -> Path:
    return OBJECTS / f"{name}.hsaco"


def data_of(name: str) -> bytes:
    return path_of(name).read_bytes()


def lines_of(name: str) -> dict[int, tuple[int, str]]:
    """Address → length and opcode, as llvm-objdump listed them."""
    text = zlib.decompress((OBJECTS / f"{name}.lst.z").read_bytes()).decode()
    found = {}
    for line in text.splitlines():
        address, length, opcode = line.split(" ", 2)
        found[int(address)] = (int(length), opcode)
    return found


def note(
    payload: bytes, kind: int = 32, owner: bytes = b"AMDGPU\0", size: int | None = None
) -> bytes:
    """One ELF note; ``size`` may lie."""
    head = struct.pack("<III", len(owner), len(payload) if size is None else size, kind)
    return head + owner.ljust((len(owner) + 3) // 4 * 4, b"\0") + payload


def metadata(kernels: list[dict[str, Any]], **more: Any) -> bytes:
    """A metadata note for gfx1100 with these kernel entries."""
    document = {"amdhsa.version": [1, 2], "amdhsa.kernels": kernels, **more}
    document.setdefault("amdhsa.target", "amdgcn-amd-amdhsa--gfx1100")
    return note(msgpack.packb(document))


def elf(
    code: bytes = b"",
    notes: bytes = b"",
    functions: Sequence[tuple[str, int, int]] = (),
    descriptors: Sequence[tuple[str, bytes]] = (),
    **header: int,
) -> bytes:
    """A device ELF: sections .text at 0x1000, .rodata, .note, .symtab, .strtab.

    ``functions`` are name, offset and size in .text. ``header`` overrides ``machine``,
    ``flags``, ``abi`` and ``symtab_size``.
    """
    strings, symbols = bytearray(b"\0"), bytearray(bytes(24))
    for name, offset, size in functions:
        symbols += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, 0x1000 + offset, size)
        strings += name.encode() + b"\0"
    read_only = bytearray()
    for name, descriptor in descriptors:
        address = 0x800 + len(read_only)
        symbols += struct.pack("<IBBHQQ", len(strings), 0x11, 0, 2, address, 64)
        strings += name.encode() + b"\0"
        read_only += descriptor
    contents = [code, bytes(read_only), notes, bytes(symbols), bytes(strings)]
    names = b"\0.text\0.rodata\0.note\0.symtab\0.strtab\0"
    kinds = [
        (1, 1, 4, 0x1000, 0),
        (7, 1, 2, 0x800, 0),
        (15, 7, 2, 0, 0),
        (21, 2, 0, 0, 5),
        (29, 3, 0, 0, 0),
    ]
    body, table = bytearray(), bytearray(bytes(64))
    for data, (name_at, kind, flags, address, link) in zip(contents, kinds, strict=True):
        size = header.get("symtab_size", len(data)) if kind == 2 else len(data)
        table += struct.pack(
            "<IIQQQQIIQQ", name_at, kind, flags, address, 64 + len(body), size, link, 0, 4, 0
        )
        body += data
    table += struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, 64 + len(body), len(names), 0, 0, 1, 0)
    body += names
    ident = b"\x7fELF\x02\x01\x01\x40" + bytes([header.get("abi", 3)]) + bytes(7)
    fields = (
        3,
        header.get("machine", AMDGPU),
        1,
        0,
        0,
        64 + len(body),
        header.get("flags", FLAG_GFX1100),
    )
    head = ident + struct.pack("<HHIQQQI", *fields) + struct.pack("<HHHHHH", 64, 56, 0, 64, 7, 6)
    return head + bytes(body) + bytes(table)


def descriptor(
    entry: int = 0, group: int = 0, private: int = 0, kernarg: int = 0, vgprs: int = 0
) -> bytes:
    """A wave32 kernel descriptor whose code starts ``entry`` bytes behind it."""
    packed = struct.pack(
        "<III4xq20xIIIHH4x", group, private, kernarg, entry, 0, vgprs, 0, 1 << 10, 0
    )
    assert len(packed) == 64
    return packed


def bundle(parts: list[tuple[str, bytes]]) -> bytes:
    """A plain offload bundle of these entries."""
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(parts))
    at = len(head) + sum(24 + len(name) for name, _ in parts)
    body = b""
    for name, data in parts:
        head += struct.pack("<QQQ", at + len(body), len(data), len(name)) + name.encode()
        body += data
    return head + body
