"""Times a dispatch scan for 1 and for 32 kernels over a generated tree of 640 files.

The tree is a git checkout as people have it: kernels, crates and a command line, with most files
mentioning no kernel, some a few, and one dispatch.rs that mentions them all.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from atlas.dispatch.names import KernelName
from atlas.dispatch.scan import scan_tree

KERNELS = 32
FILES = 640
LINES_PER_FILE = 250
ROUNDS = 7
BOUND = 2.0

_QUANTS = ("hfq4g256", "mq4g256", "paro4g128", "q8_0")
_SHAPES = (
    "gemv",
    "gemv_residual",
    "gemv_multirow",
    "gemm_wmma",
    "fused_qkv",
    "rope",
    "rmsnorm",
    "kv",
)
_WORDS = (
    "lane",
    "acc",
    "tile",
    "scale",
    "block",
    "load",
    "stride",
    "warp",
    "group",
    "row",
    "index",
)


def kernel_names() -> list[str]:
    """The 32 names: each shape with each quant, with the suffixes names have."""
    suffixes = ("", "_r4", "_k8.kd", "_v2")
    pairs = [(shape, quant) for shape in _SHAPES for quant in _QUANTS]
    return [f"{s}_{q}{suffixes[i % len(suffixes)]}" for i, (s, q) in enumerate(pairs)]


def make_tree(root: Path, names: list[str]) -> None:
    """Writes the tree and makes it a git work tree."""
    dice = random.Random(640)
    folders = ("kernels/src", "crates/rdna-compute/src", "crates/hipfire-runtime/src", "cli/src")
    suffixes = (".hip", ".rs", ".rs", ".ts")
    for number in range(FILES - 1):
        kind = dice.randrange(4)
        stem = names[number].partition(".")[0] if number < len(names) else f"part_{number}"
        folder, suffix = (
            (folders[0], ".hip") if number < len(names) else (folders[kind], suffixes[kind])
        )
        mentioned = dice.sample(names, 2) if number % 8 == 0 else []
        _write(root / folder / f"{stem}{suffix}", _lines(dice, mentioned))
    _write(root / "crates/rdna-compute/src/dispatch.rs", _lines(dice, names))
    subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")


def _lines(dice: random.Random, mentioned: list[str]) -> list[str]:
    lines = [
        f"    let {dice.choice(_WORDS)}_{dice.randrange(40)} = "
        f"{dice.choice(_WORDS)}[{dice.randrange(512)}]; // {dice.choice(_WORDS)}"
        for _ in range(LINES_PER_FILE)
    ]
    for name in mentioned:
        lines.insert(
            dice.randrange(len(lines)), f'    gpu.launch("{name.partition(".")[0]}", grid);'
        )
    return lines


def seconds(root: Path, names: list[str]) -> float:
    """How long one scan takes."""
    started = time.perf_counter()
    scan_tree(root, [KernelName(name) for name in names], arch="gfx1201")
    return time.perf_counter() - started


def measure() -> tuple[float, float]:
    """Median seconds for one name and for 32, measured in turn on one tree."""
    names = kernel_names()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_tree(root, names)
        seconds(root, names)  # warms the file cache for both
        rounds = [(seconds(root, names[:1]), seconds(root, names)) for _ in range(ROUNDS)]
    one, many = zip(*rounds, strict=True)
    return statistics.median(one), statistics.median(many)


def main() -> int:
    """Prints the table; 1 when the bound is missed."""
    one, many = measure()
    ratio = many / one
    verdict = "ok" if ratio <= BOUND else "TOO SLOW"
    print(f"dispatch scan over {FILES} files")
    print(f"  1 kernel {one * 1e3:.1f} ms, {KERNELS} kernels {many * 1e3:.1f} ms")
    print(f"  ratio {ratio:.2f} (bound {BOUND:.0f}) {verdict}")
    return 0 if ratio <= BOUND else 1


if __name__ == "__main__":
    raise SystemExit(main())
