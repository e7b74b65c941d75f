"""Inspecting a folder of code objects, whole processes, against one LLVM process per tool and object."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import bench_isa

from bench.measure import Line, atlas, seconds_of

_OBJECTS = 500
_SAMPLE = 25
"""Objects the LLVM tools are timed on; the rest is scaled, for all of them take minutes."""


def inspection(folder: Path) -> Iterator[Line]:
    """Cold and unchanged inspections through the command line, events and table included."""
    objects = folder / "objects"
    objects.mkdir()
    bench_isa.make_objects(objects, _OBJECTS)
    cold = min(_cold(folder, objects, number) for number in range(3))
    again = atlas("--ledger", str(folder / "isa-0.duckdb"), "isa", str(objects))
    seconds_of(again)  # drains what the cold run recorded
    repeated = min(seconds_of(again) for _ in range(3))
    llvm = _llvm(sorted(objects.iterdir())[:: _OBJECTS // _SAMPLE])
    for what, ours, least in (("cold", cold, 20), ("unchanged", repeated, 50)):
        yield Line(
            f"atlas isa of {_OBJECTS} objects, {what}, against LLVM",
            f"{ours:.2f} s" + (f", LLVM {llvm:.1f} s = {llvm / ours:.0f} x" if llvm else ""),
            f">= {least} x",
            None if llvm is None else llvm / ours >= least,
        )


def _cold(folder: Path, objects: Path, number: int) -> float:
    return seconds_of(atlas("--ledger", str(folder / f"isa-{number}.duckdb"), "isa", str(objects)))


def _llvm(sample: list[Path]) -> float | None:
    """Seconds the tools would take for all objects; None where they are not installed."""
    suffix = "-19" if shutil.which("llvm-objdump-19") else ""
    readobj, objdump = f"llvm-readobj{suffix}", f"llvm-objdump{suffix}"
    if shutil.which(readobj) is None or shutil.which(objdump) is None:
        return None
    total = sum(
        seconds_of([readobj, "--notes", str(path)]) + seconds_of([objdump, "-d", str(path)])
        for path in sample
    )
    return total * _OBJECTS / len(sample)
