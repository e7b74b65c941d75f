"""How fast a folder of code objects is inspected, against one LLVM process per tool and object.

Makes 500 objects of distinct bytes from the committed ones (each differs in the constants of its
code, where it has some, and in trailing bytes), then times whole processes: a native inspection
of all, a second one that knows every object, and llvm-readobj plus llvm-objdump for each.

Usage: python tools/bench_isa.py [--count 500] [--suffix -19]
"""

from __future__ import annotations

import argparse
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from atlas.isa import elf
from atlas.isa.decoder import Decoder
from atlas.isa.extents import Layout
from atlas.isa.metadata import Metadata, read_metadata
from atlas.isa.tables import table_for

OBJECTS = Path(__file__).parent.parent / "tests" / "data" / "isa" / "objects"

COLD = """
import orjson, sys
from atlas.isa import build_manifest, inspect_paths
found = inspect_paths([sys.argv[1]])
open(sys.argv[2], "wb").write(orjson.dumps(build_manifest(found.objects)))
facts = {file.facts.md5: file.whole.payload for file in found.objects}
open(sys.argv[3], "wb").write(orjson.dumps(facts))
"""
AGAIN = """
import orjson, sys
from atlas.isa import inspect_paths
known = orjson.loads(open(sys.argv[3], "rb").read())
assert all(file.reused for file in inspect_paths([sys.argv[1]], known=known.get).objects)
"""


def constants_in(data: bytes) -> list[int]:
    """File offsets of 32-bit constants that vector instructions carry."""
    file, metadata = elf.Elf(memoryview(data)), Metadata()
    read_metadata(file, metadata)
    table = table_for(metadata.processor)
    if table is None:
        return []
    layout, found = Layout(file), []
    for symbol in layout.functions.values():
        extent = layout.extent_of(symbol)
        listing = Decoder(table).decode(layout.code(extent))
        start = file.sections[extent.section].offset + extent.offset
        for offset, (opcode, length) in zip(listing.offsets, listing.entries, strict=True):
            literal = listing.words[offset // 4] & 0x1FF == 255
            if length == 8 and literal and str(opcode).endswith("_e32"):
                found.append(start + offset + 4)
    return found


def make_objects(folder: Path, count: int) -> int:
    """Write so many distinct objects; returns how many have code of their own."""
    originals = [path.read_bytes() for path in sorted(OBJECTS.glob("*-*.hsaco"))]
    places = [constants_in(data) for data in originals]
    for number in range(count):
        data = bytearray(originals[number % len(originals)])
        for place in places[number % len(originals)]:
            struct.pack_into("<I", data, place, 0x40000000 + number)
        path = folder / f"{number:04}.hsaco"
        path.write_bytes(bytes(data) + number.to_bytes(8, "little"))
    return sum(bool(places[number % len(originals)]) for number in range(count))


def timed(argv: list[str]) -> tuple[float, float]:
    """Wall-clock and processor seconds of a whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(name: str, seconds: tuple[float, float], against: tuple[float, float]) -> None:
    """One line: seconds, and how many times longer the tools took."""
    ratios = [other / own for other, own in zip(against, seconds, strict=True)]
    print(
        f"{name:18}{seconds[0]:8.3f} s wall {seconds[1]:8.3f} s cpu"
        f"   {ratios[0]:6.1f} x wall {ratios[1]:6.1f} x cpu"
    )


def of_tools(folder: Path, suffix: str) -> tuple[float, float]:
    """Seconds of one llvm-readobj and one llvm-objdump process for each object."""
    wall = processor = 0.0
    for path in sorted(folder.iterdir()):
        for argv in (["llvm-readobj" + suffix, "--notes"], ["llvm-objdump" + suffix, "-d"]):
            seconds = timed([*argv, str(path)])
            wall, processor = wall + seconds[0], processor + seconds[1]
    return wall, processor


def main() -> None:
    """Parse the command line, measure, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--suffix", default="-19", help="of llvm-readobj and llvm-objdump")
    options = parser.parse_args()
    if not shutil.which(f"llvm-objdump{options.suffix}"):
        raise SystemExit("There are no LLVM tools to compare with.")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "objects"
        folder.mkdir()
        own = make_objects(folder, options.count)
        print(f"{options.count} objects, {own} of them with code of their own")
        rest = [str(folder), *(str(Path(scratch) / name) for name in ("manifest", "facts"))]
        cold = min(timed([sys.executable, "-c", COLD, *rest]) for _ in range(3))
        again = min(timed([sys.executable, "-c", AGAIN, *rest]) for _ in range(3))
        tools = of_tools(folder, options.suffix)
        report("LLVM tools", tools, tools)
        report("native, cold", cold, tools)
        report("native, unchanged", again, tools)


if __name__ == "__main__":
    main()
