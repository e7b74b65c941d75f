"""AMDGPU instruction encodings: where the opcode sits and what decides the length.

The first dword of an instruction selects a family by its top bits, a field in it selects the
opcode, and a few operand values (a literal, a DPP or SDWA control word) add dwords. This module
is the shape of the encodings only; names and base lengths are tables made by asking LLVM.
"""

from __future__ import annotations

from dataclasses import dataclass, field

LITERAL = 255
"""Source operand value that means: a 32-bit constant follows."""

_SDWA = {249: "_SDWA"}
_DPP16 = {250: "_DPP"}
_DPP8 = {233: "_DPP8", 234: "_DPP8"}


@dataclass(frozen=True, slots=True)
class Field:
    """Bits of an instruction: ``(dword >> shift) & mask``; dword 0 is the first."""

    dword: int
    shift: int
    mask: int

    def of(self, first: int, second: int) -> int:
        """Value of the field in an instruction that starts with these two dwords."""
        return ((second if self.dword else first) >> self.shift) & self.mask


@dataclass(frozen=True, slots=True)
class Family:
    """One encoding family of a generation.

    Attributes:
        name: name of its opcode table.
        mask: bits of the first dword that identify the family.
        match: their value.
        opcode: where the opcode is.
        opcode_high: one more opcode bit elsewhere, weighted just above ``opcode``.
        literals: sources that add one dword when any of them is ``LITERAL``.
        variants: values of ``literals[0]`` that select another opcode table, by name suffix.
        extra_dwords: field that counts further address dwords.
        second_opcode: opcode of the second half (VOPD), looked up in table ``name + "_Y"``.
        continued: a prefix of 8 bytes that forms one instruction with some that may follow it.
    """

    name: str
    mask: int
    match: int
    opcode: Field
    opcode_high: Field | None = None
    literals: tuple[Field, ...] = ()
    variants: dict[int, str] = field(default_factory=dict)
    extra_dwords: Field | None = None
    second_opcode: Field | None = None
    continued: bool = False

    @property
    def opcode_bits(self) -> int:
        """Bits of the first dword that hold the opcode or opcodes."""
        parts = (self.opcode, self.opcode_high, self.second_opcode)
        return sum(part.mask << part.shift for part in parts if part and not part.dword)


def _top(bits: int, value: int) -> tuple[int, int]:
    """Mask and match of the ``bits`` highest bits."""
    return ((1 << bits) - 1) << (32 - bits), value << (32 - bits)


def _op(high: int, low: int) -> Field:
    return Field(0, low, (1 << (high - low + 1)) - 1)


_SRC9 = (Field(0, 0, 0x1FF),)
_SRC8 = (Field(0, 0, 0xFF),)
_TWO_SRC8 = (Field(0, 0, 0xFF), Field(0, 8, 0xFF))
_VOP3_SRC = (Field(1, 0, 0x1FF), Field(1, 9, 0x1FF), Field(1, 18, 0x1FF))
_NO_OP = Field(0, 0, 0)


def _scalar() -> tuple[Family, ...]:
    return (
        Family("SOP1", *_top(9, 0x17D), _op(15, 8), literals=_SRC8),
        Family("SOPC", *_top(9, 0x17E), _op(22, 16), literals=_TWO_SRC8),
        Family("SOPP", *_top(9, 0x17F), _op(22, 16)),
        Family("SOPK", *_top(4, 0xB), _op(27, 23)),
        Family("SOP2", *_top(2, 0x2), _op(29, 23), literals=_TWO_SRC8),
    )


def _vector(variants: dict[int, str]) -> tuple[Family, ...]:
    return (
        Family("VOP1", *_top(7, 0x3F), _op(16, 9), literals=_SRC9, variants=variants),
        Family("VOPC", *_top(7, 0x3E), _op(24, 17), literals=_SRC9, variants=variants),
        Family("VOP2", *_top(1, 0), _op(30, 25), literals=_SRC9, variants=variants),
    )


def _vop3(variants: dict[int, str]) -> tuple[Family, ...]:
    return (
        Family("VOP3P", *_top(8, 0xCC), _op(22, 16), literals=_VOP3_SRC, variants=variants),
        Family("VOP3", *_top(6, 0x35), _op(25, 16), literals=_VOP3_SRC, variants=variants),
    )


def _flat(low: int, high: int) -> tuple[Family, ...]:
    """The segments of the 0x37 encoding, told apart by two bits at ``low``."""
    top, match = _top(6, 0x37)
    names = ("FLAT", "SCRATCH", "GLOBAL")
    mask = top | 3 << low
    return tuple(
        Family(name, mask, match | segment << low, _op(high, 18))
        for segment, name in enumerate(names)
    )


def _exact(name: str, word: int) -> Family:
    """A single word that means one instruction."""
    return Family(name, 0xFFFFFFFF, word, _NO_OP)


_GFX9 = (
    *_vector(_SDWA | _DPP16),
    *_scalar(),
    # The opcode of a scaled matrix instruction stands in its second half.
    Family("VOP3PX", *_top(16, 0xD3AC), _NO_OP, continued=True),
    Family("VOP3P", *_top(9, 0x1A7), _op(22, 16)),
    Family("VOP3", *_top(6, 0x34), _op(25, 16)),
    Family("SMEM", *_top(6, 0x30), _op(25, 18)),
    Family("EXP", *_top(6, 0x31), _NO_OP),
    Family("VINTRP", *_top(6, 0x35), _op(17, 16)),
    Family("DS", *_top(6, 0x36), _op(24, 17)),
    *_flat(14, 24),
    Family("MUBUF", *_top(6, 0x38), _op(25, 18)),
    Family("MTBUF", *_top(6, 0x3A), _op(18, 15)),
    Family("MIMG", *_top(6, 0x3C), _op(24, 18)),
)

_GFX10 = (
    _exact("ILLEGAL", 0),
    *_vector(_SDWA | _DPP16 | _DPP8),
    *_scalar(),
    *_vop3({}),
    Family("VINTRP", *_top(6, 0x32), _op(17, 16)),
    Family("SMEM", *_top(6, 0x3D), _op(25, 18)),
    Family("EXP", *_top(6, 0x3E), _NO_OP),
    Family("DS", *_top(6, 0x36), _op(25, 18)),
    *_flat(14, 24),
    Family("MUBUF", *_top(6, 0x38), _op(25, 18)),
    Family("MTBUF", *_top(6, 0x3A), _op(18, 16), opcode_high=Field(1, 21, 1)),
    Family(
        "MIMG",
        *_top(6, 0x3C),
        _op(24, 18),
        opcode_high=Field(0, 0, 1),
        extra_dwords=Field(0, 1, 3),
    ),
)


def _since_gfx11() -> tuple[Family, ...]:
    return (
        _exact("ILLEGAL", 0),
        *_vector(_DPP16 | _DPP8),
        *_scalar(),
        *_vop3(_DPP16 | _DPP8),
        Family(
            "VOPD",
            *_top(6, 0x32),
            _op(25, 22),
            literals=(Field(0, 0, 0x1FF), Field(1, 0, 0x1FF)),
            second_opcode=_op(21, 17),
        ),
        Family("VINTERP", *_top(8, 0xCD), _op(22, 16)),
        Family("LDSDIR", *_top(8, 0xCE), _op(21, 20)),
        Family("EXP", *_top(6, 0x3E), _NO_OP),
        Family("DS", *_top(6, 0x36), _op(25, 18)),
    )


_GFX11 = (
    *_since_gfx11(),
    Family("SMEM", *_top(6, 0x3D), _op(25, 18)),
    *_flat(16, 24),
    Family("MUBUF", *_top(6, 0x38), _op(25, 18)),
    Family("MTBUF", *_top(6, 0x3A), _op(18, 15)),
    Family("MIMG", *_top(6, 0x3C), _op(25, 18), extra_dwords=Field(0, 0, 1)),
)

_GFX12 = (
    *_since_gfx11(),
    Family("SMEM", *_top(6, 0x3D), _op(18, 13)),
    Family("FLAT", *_top(8, 0xEC), _op(21, 14)),
    Family("SCRATCH", *_top(8, 0xED), _op(21, 14)),
    Family("GLOBAL", *_top(8, 0xEE), _op(21, 14)),
    Family("VBUFFER", *_top(6, 0x31), _op(21, 14)),
    Family("VIMAGE", *_top(6, 0x34), _op(21, 14)),
    Family("VSAMPLE", *_top(6, 0x39), _op(21, 14)),
)

GENERATIONS: dict[str, tuple[Family, ...]] = {
    "gfx9": _GFX9,
    "gfx10": _GFX10,
    "gfx11": _GFX11,
    "gfx12": _GFX12,
}
"""Families of each generation in the order they are tried: the first that matches is meant."""
