"""Opcode tables, loaded when a processor is first met.

``data/index.json`` names the table of each processor; a table is zlib-compressed JSON with the
generation, the LLVM versions that made it, and per encoding family ``[opcode, mnemonic, bytes]``.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from atlas.isa.encodings import GENERATIONS, Family

Entry = tuple[str | None, int]
"""Mnemonic (None: does not decode) and length in bytes."""


@dataclass(frozen=True, slots=True)
class Table:
    """What the instructions of one processor are called.

    Attributes:
        families: encodings of its generation, first match wins.
        entries: family name → opcode → mnemonic and smallest length in bytes.
        llvm: versions of LLVM the table was made with, newest first.
        generation: ``gfx9``, ``gfx10``, ``gfx11`` or ``gfx12``.
    """

    families: tuple[Family, ...]
    entries: dict[str, dict[int, Entry]]
    llvm: tuple[str, ...]
    generation: str


@cache
def _index() -> dict[str, dict[str, str] | str]:
    text = (resources.files(__package__) / "data" / "index.json").read_bytes()
    parsed: dict[str, dict[str, str] | str] = json.loads(text)
    return parsed


def table_version() -> str:
    """Digest of all tables: facts of an object hold for one version of them."""
    return str(_index()["version"])


def processors() -> dict[str, str]:
    """Processors that can be decoded → name of their table."""
    known = _index()["processors"]
    return known if isinstance(known, dict) else {}


def table_for(processor: str) -> Table | None:
    """The table of a processor such as ``gfx1100``; None when there is none."""
    name = processors().get(processor)
    return _load(name) if name else None


@cache
def _load(name: str) -> Table:
    packed = (resources.files(__package__) / "data" / f"{name}.json.z").read_bytes()
    parsed = json.loads(zlib.decompress(packed))
    entries: dict[str, dict[int, Entry]] = {
        family: {opcode: (mnemonic, length) for opcode, mnemonic, length in rows}
        for family, rows in parsed["tables"].items()
    }
    generation = parsed["generation"]
    return Table(GENERATIONS[generation], entries, tuple(parsed["llvm"]), generation)
