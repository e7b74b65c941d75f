"""Mutate the test objects and inspect them: nothing may raise, hang or yield broken facts.

Usage: python tools/fuzz_isa.py [--count 60000] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

from atlas.isa import inspect_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OBJECTS = Path(__file__).parent.parent / "tests" / "data" / "isa" / "objects"

_EXTREMES = (
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0xFFFF,
    0x7FFFFFFF,
    0xFFFFFFFF,
    1 << 40,
    (1 << 63),
    (1 << 64) - 1,
)


def _flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _flip_header(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(min(64, len(data)))] = chance.randrange(256)


def _write_extreme(data: bytearray, chance: random.Random) -> None:
    size = chance.choice((1, 2, 4, 8))
    at = chance.randrange(max(1, len(data) - size)) // size * size
    value = chance.choice(_EXTREMES) & ((1 << 8 * size) - 1)
    data[at : at + size] = value.to_bytes(size, "little")


def _truncate(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def _duplicate(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    piece = data[start : start + chance.randint(1, 512)]
    at = chance.randrange(len(data))
    data[at:at] = piece


def _overwrite(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data))
    size = min(chance.randint(1, 256), len(data) - start)
    data[start : start + size] = chance.randbytes(size)


_MUTATIONS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    _flip,
    _flip_header,
    _write_extreme,
    _write_extreme,
    _truncate,
    _duplicate,
    _overwrite,
)


def mutants(count: int, seed: int) -> Iterator[bytes]:
    """So many mutants of the committed objects, always the same for a seed."""
    chance = random.Random(seed)  # reproducible, not secret
    originals = [
        path.read_bytes()
        for path in sorted(OBJECTS.iterdir())
        if path.suffix not in {".z", ".json"}
    ]
    for _ in range(count):
        data = bytearray(chance.choice(originals))
        for _ in range(chance.randint(1, 3)):
            if data:
                chance.choice(_MUTATIONS)(data, chance)
        yield bytes(data)


def inspect_mutants(count: int, seed: int = 1) -> dict[str, int]:
    """Inspect mutants; returns how often each finding code came up.

    Raises:
        AssertionError: an inspection took more than 5 seconds.
    """
    codes: dict[str, int] = {}
    for data in mutants(count, seed):
        start = time.perf_counter()
        facts = inspect_bytes(data)
        json.dumps(facts.payload, allow_nan=False)
        if time.perf_counter() - start > 5:
            message = f"{facts.md5} took more than 5 seconds"
            raise AssertionError(message)
        for finding in facts.findings:
            codes[finding.code] = codes.get(finding.code, 0) + 1
    return codes


def main() -> None:
    """Parse the command line and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for code, number in sorted(inspect_mutants(options.count, options.seed).items()):
        print(f"{number:8} {code}")


if __name__ == "__main__":
    main()
