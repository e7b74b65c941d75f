"""A slow scan written from the rules alone: one name, one file, one line at a time."""

from __future__ import annotations

import hashlib
import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from atlas.dispatch.names import KernelName
from atlas.dispatch.scan import scan_tree

if TYPE_CHECKING:
    from pathlib import Path

ARCH, FAMILY = "gfx1201", "gfx12"
SOURCE_SUFFIXES = (".hip", ".cu", ".cpp", ".cc", ".c", ".h", ".hpp")
REFERENCE_SUFFIXES = (".rs", ".ts", ".js", ".hip", ".h", ".hpp", ".cpp")


def variants(name: str) -> list[str]:
    found = [name]
    rest = name.removesuffix(".kd")
    while True:
        if rest and rest not in found:
            found.append(rest)
        cut = re.sub(r"(?:_r4|_k8|_v2|_default)\Z", "", rest)
        if cut in {"", rest}:
            return found
        rest = cut


def has_token(word: str, text: str) -> bool:
    pieces = text.split(word)
    return any(
        not re.search(r"[A-Za-z0-9_]\Z", before) and not re.match(r"[A-Za-z0-9_]", after)
        for at in range(1, len(pieces))
        for before, after in [(word.join(pieces[:at]), word.join(pieces[at:]))]
    )


def is_test(path: str) -> bool:
    parts = path.split("/")
    if re.match(r"test_|benchmark_", parts[-1]):
        return True
    return any(part in ("test", "tests") or part.startswith("bench") for part in parts)


def stem_score(name: str, stem: str) -> int:
    others = variants(name)[1:]
    scores = [0]
    if re.match(re.escape(f"{name}.{ARCH}") + r"(\.|\Z)", stem):
        scores.append(1200)
    if re.match(re.escape(f"{name}.{FAMILY}") + r"(\.|\Z)", stem):
        scores.append(1100)
    scores += [1050 for v in others if re.match(re.escape(f"{v}.{ARCH}") + r"(\.|\Z)", stem)]
    scores += [1000] * (stem == name) + [950] * stem.startswith(f"{name}.")
    scores += [900] * (stem in others)
    scores += [850 for v in others if stem.startswith(f"{v}.")]
    return max(scores)


def text_score(name: str, text: str, points: tuple[int, int, int]) -> int:
    if has_token(name, text):
        return points[0]
    if any(has_token(v, text) for v in variants(name)[1:]):
        return points[1]
    return points[2] if any(v in text for v in variants(name)) else 0


def source_score(name: str, path: str, text: str) -> int:
    stem = path.rpartition("/")[2].rpartition(".")[0]
    score = stem_score(name, stem) + text_score(name, stem, (250, 250, 10))
    score += text_score(name, text, (140, 100, 5))
    if not score:
        return 0
    score += 25 * path.endswith(".hip") + 15 * path.startswith("kernels/src/")
    return score - 200 * is_test(path)


def line_score(name: str, path: str, line: str) -> int:
    score = 100 if re.match(r"\s*(//|/\*|\*)", line) else 1000
    score += text_score(name, line, (220, 160, 5))
    score += 60 * bool(re.search(r"launch|dispatch|kernel|call|gpu\.", line, re.IGNORECASE))
    score += 25 * ("(" in line)
    if path.rpartition("/")[2] == "dispatch.rs":
        score += 40
    elif path.startswith("crates/hipfire-runtime/"):
        score += 30
    elif path.startswith("crates/"):
        score += 20
    elif path.startswith("kernels/src/"):
        score += 10
    score += 45 * ("/src/" in path) - 150 * ("/examples/" in path)
    return score - 200 * is_test(path)


def slow_entry(root: Path, name: str, limit: int) -> dict[str, Any]:
    sources, references = [], []
    has_kernels = (root / "kernels/src").is_dir()
    for file in root.rglob("*"):
        path = file.relative_to(root).as_posix()
        if not file.is_file():
            continue
        text = file.read_bytes().decode("latin-1")
        if path.endswith(SOURCE_SUFFIXES) and (path.startswith("kernels/src/") or not has_kernels):
            score = source_score(name, path, text)
            md5 = hashlib.md5(file.read_bytes()).hexdigest()
            sources += [(-score, path, md5)] * (score > 0)
        if path.endswith(REFERENCE_SUFFIXES) and re.match(r"crates/|cli/|kernels/src/", path):
            for number, line in enumerate(text.split("\n"), 1):
                if any(v in line for v in variants(name)):
                    kind = "comment" if re.match(r"\s*(//|/\*|\*)", line) else "code"
                    shown = line.encode("latin-1").decode().strip()[:240]
                    references.append((-line_score(name, path, line), path, number, shown, kind))
    return {"sources": sorted(sources)[:limit], "references": sorted(references)[:limit]}


NAMES = [
    "gemv",
    "gemv_r4",
    "gemv_r4_k8",
    "gemv_r4.kd",
    "gemv_v2_default.kd",
    "fused_qkv",
    "kv",
    "norm_v2",
]
NAMES += ["ns::norm<4>", "a.b", "norm", "x+y", ".kd", "_r4", "gemv_q8_r4_r4"]
FOLDERS = [
    "kernels/src",
    "kernels/src/tests",
    "crates/a/src",
    "crates/a/examples",
    "crates/test/src",
]
FOLDERS += ["crates/hipfire-runtime", "cli", "cli/bench", "lib/tests", "lib", "crates/test/src"]
FILLERS = ["// ", "/* ", " * ", "x = ", "gpu.", "launch(", "Kernel ", "(", ")", " ", "my_", "_2"]
FILLERS += [".", "\r", "é"]
STEM_ENDS = ["", "", ".gfx1201", ".gfx12", ".gfx1100", ".gfx1201.w64", "_wide", "-old", ".test"]


def make_tree(root: Path, dice: random.Random) -> None:
    folders = [f for f in FOLDERS if dice.random() < 0.7]
    for _ in range(dice.randrange(4, 16)):
        folder = root / dice.choice(folders or ["cli"])
        folder.mkdir(parents=True, exist_ok=True)
        stems = [*NAMES, "dispatch", "test_a", "benchmark_b", "other"]
        stem = dice.choice(stems).replace("/", "") + dice.choice(STEM_ENDS)
        suffix = dice.choice([*SOURCE_SUFFIXES, *REFERENCE_SUFFIXES, ".py"])
        words = [*NAMES, *FILLERS, *FILLERS, "\n", "\n", "\n"]
        text = "".join(dice.choice(words) for _ in range(dice.randrange(40)))
        (folder / (stem + suffix)).write_bytes(text.encode())


@pytest.mark.parametrize("seed", range(25))
def test_one_pass_finds_what_the_slow_scan_finds(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    make_tree(tmp_path, dice)
    limit = dice.choice([1, 3, 8, 1000])
    manifest = scan_tree(tmp_path, [KernelName(n) for n in NAMES], arch=ARCH, ref_limit=limit)
    assert [entry.name for entry in manifest.entries] == NAMES
    for entry in manifest.entries:
        found = {
            "sources": [(-s.match_score, s.path, s.md5) for s in entry.source_files],
            "references": [
                (-r.match_score, r.path, r.line, r.text, r.kind) for r in entry.dispatch_refs
            ],
        }
        assert found == slow_entry(tmp_path, entry.name, limit), entry.name
        assert list(entry.name_variants) == variants(entry.name)


def test_asking_for_more_names_changes_nothing_for_one(tmp_path: Path) -> None:
    make_tree(tmp_path, random.Random(99))
    together = scan_tree(tmp_path, [KernelName(n) for n in NAMES], arch=ARCH).entries
    alone = [scan_tree(tmp_path, [KernelName(n)], arch=ARCH).entries[0] for n in NAMES]
    assert list(together) == alone
