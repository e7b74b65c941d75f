"""Reference data that SQL and the inspection share: one CSV each, under ``queries/reference``."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class RegisterFile:
    """Vector registers of one SIMD for one wavefront size, counted per lane."""

    registers: int
    granule: int
    max_waves: int
    unified: bool


@cache
def category_of(opcode: str) -> str:
    """Category of an opcode such as ``v_add_f32_e32`` or ``a :: b``: first rule that is found."""
    return next(name for pattern, name in _category_rules() if pattern.search(opcode))


@cache
def category_names() -> tuple[str, ...]:
    """All categories, in the order of their rules."""
    return tuple(dict.fromkeys(name for _, name in _category_rules()))


@cache
def register_file(processor: str, wavefront_size: int) -> RegisterFile | None:
    """Registers of a SIMD; None for a processor or wavefront size that is not in the table."""
    return _register_files().get((processor, wavefront_size))


@cache
def _category_rules() -> list[tuple[re.Pattern[str], str]]:
    rows = sorted(_rows("isa_categories.csv"), key=lambda row: int(row["priority"]))
    return [(re.compile(row["pattern"]), row["category"]) for row in rows]


@cache
def _register_files() -> dict[tuple[str, int], RegisterFile]:
    return {
        (row["arch"], int(row["wavefront_size"])): RegisterFile(
            int(row["registers"]),
            int(row["granule"]),
            int(row["max_waves"]),
            row["unified"] == "true",
        )
        for row in _rows("isa_wave_limits.csv")
    }


def _rows(name: str) -> list[dict[str, str]]:
    text = (resources.files("queries") / "reference" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
