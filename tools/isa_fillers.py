"""Operands that make an instruction decode, per encoding family.

``FIRST`` are bits put into the first dword, ``TAILS`` the dwords behind it; they are tried in every
combination until something decodes. They avoid the words that crash disassemblers.
"""

from __future__ import annotations

import itertools

_SOURCES = (0x100, 0x80, 0)
_VOP3_TAILS: list[tuple[int, ...]] = [
    (a | b << 9 | c << 18,) for a, b, c in itertools.product(_SOURCES, repeat=3)
]
_PACKED_TAILS: list[tuple[int, ...]] = [
    *_VOP3_TAILS,
    *((tail[0] | 0x18000000,) for tail in _VOP3_TAILS),
]
_FLAT_TAILS: list[tuple[int, ...]] = [(0,), (0x7F0000,), (0x7D0000,), (0x7C0000,)]
_DPP_TAILS = [0xFF00E401, 0xFF015001]
_ADDRESS_FIRST = [0, 1 << 17, 1 << 16, 1 << 12, 1 << 13]

# Bits put into the first dword, and the dwords behind it, until something decodes.
FIRST: dict[str, list[int]] = {
    "SOP1": [0, 0x80, 0x7D, 0x7C, 0xC1],
    "SMEM": [0, 1 << 17, 1 << 14, 0x1000, 0x80],
    "VOP1": [*_SOURCES, 1],
    "VOP2": [*_SOURCES],
    "VOPC": [*_SOURCES],
    "VOP3": [0, 0x7E, 0x6A, 0x6A00, 0x7C],
    "VOP3P": [0, 0x4000, 0x8000],
    "DS": _ADDRESS_FIRST,
    "VINTERP": [0],
    "EXP": [0xF, 0x80F],
    "MUBUF": _ADDRESS_FIRST,
    "MTBUF": [*_ADDRESS_FIRST, 1 << 19, 1 << 20],
    "MIMG": [0xF00, 0x100, 0xF00 | 1 << 12, 0xF80, 0xF00 | 1 << 15, 0xF08, 0xF04, 0x1F00, 0x8F80],
    "VBUFFER": [0x7C, 0, 0x7C | 1 << 23],
    "VIMAGE": [0xF << 22, 1 << 22, 0, 0xF << 22 | 1, 0xF << 22 | 1 << 4],
    "VSAMPLE": [0xF << 22, 1 << 22, 0, 0xF << 22 | 1],
    "FLAT": [0x7C, 0, 1 << 16],
    "SCRATCH": [0x7C, 0, 1 << 14],
    "GLOBAL": [0x7C, 0, 1 << 16],
}
TAILS: dict[str, list[tuple[int, ...]]] = {
    "VOP3": _VOP3_TAILS,
    "VOP3P": _PACKED_TAILS,
    "VINTERP": [(0x04020100,), (0x04000100,)],
    "SMEM": [(0,), (0xF8000000,), (0xFA000000,), (0x80,)],
    "MUBUF": [(0x80000000,), (0,), (0x7C000000,), (0x7D000000,)],
    "MTBUF": [(0x80000000,), (0,)],
    "FLAT": [*_FLAT_TAILS, (0, 0)],
    "SCRATCH": [*_FLAT_TAILS, (0, 0), (1 << 17, 0)],
    "GLOBAL": [*_FLAT_TAILS, (0, 0)],
    "VBUFFER": [(0x00800000, 0), (0, 0), (0x40000000, 0)],
    "VIMAGE": [(0, 0), (1 << 22, 0)],
    "VSAMPLE": [(0, 0)],
}
VARIANT_TAILS: dict[str, list[tuple[int, ...]]] = {
    "_SDWA": [(0x06060600,), (0x00060600,), (0x06060000,)],
    "_DPP": [(word,) for word in _DPP_TAILS],
    "_DPP8": [(0x05397701,)],
}
