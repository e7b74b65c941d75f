from __future__ import annotations

import pytest

from atlas.dispatch.names import KernelName, Text
from atlas.dispatch.paths import TreePath
from atlas.dispatch.score import total
from atlas.dispatch.sources import SourceFile, Target, score_source


def score(path: str, text: str = "", *, name: str = "gemv_q8_r4", arch: str | None = None) -> int:
    tree_path = TreePath(path.encode())
    file = SourceFile(tree_path, Text(tree_path.stem), Text(text.encode()))
    return total(score_source(KernelName(name), file, Target(arch)))


TOKEN = 250


@pytest.mark.parametrize(
    ("stem", "arch", "expected"),
    [
        ("gemv_q8_r4.gfx1201", "gfx1201", 1200),
        ("gemv_q8_r4.gfx1201.wave64", "gfx1201", 1200),
        ("gemv_q8_r4.gfx1201.wave64.old", "gfx1201", 1200),
        ("gemv_q8_r4.gfx12", "gfx1201", 1100),
        ("gemv_q8_r4.gfx12.wave64", "gfx1201", 1100),
        ("gemv_q8.gfx1201", "gfx1201", 1050),
        ("gemv_q8.gfx1201.wave64", "gfx1201", 1050),
        ("gemv_q8_r4", "gfx1201", 1000),
        ("gemv_q8_r4.gfx1100", "gfx1201", 950),
        ("gemv_q8_r4.gfx12010", "gfx1201", 950),
        ("gemv_q8_r4.wave64.gfx1201", "gfx1201", 950),
        ("gemv_q8_r4.gfx1201", None, 950),
        ("gemv_q8", "gfx1201", 900),
        ("gemv_q8.gfx12", "gfx1201", 850),
        ("gemv_q8.wave64", None, 850),
    ],
)
def test_stem_tiers(stem: str, arch: str | None, expected: int) -> None:
    assert score(f"a/{stem}.cu", arch=arch) == expected + TOKEN


@pytest.mark.parametrize(
    ("arch", "family"),
    [
        ("gfx1201", "gfx12"),
        ("gfx1151", "gfx11"),
        ("gfx1030", "gfx10"),
        ("gfx906", "gfx9"),
        ("gfx90a", "gfx9"),
        ("gfx942", "gfx9"),
        ("gfx90a:sramecc+:xnack-", "gfx9"),
    ],
)
def test_the_family_is_the_arch_without_minor_version_and_stepping(arch: str, family: str) -> None:
    assert score(f"gemv_q8_r4.{family}.cu", arch=arch) == 1100 + TOKEN


@pytest.mark.parametrize("arch", ["gfx12", "gfx1", "cpu", "", ":", "gfx12-generic", "\udc80"])
def test_an_arch_of_no_known_form_has_no_family(arch: str) -> None:
    assert score("gemv_q8_r4.gfx1.cu", arch=arch) in {950 + TOKEN, 1200 + TOKEN}
    assert Target(arch).family_tag == b""


def test_features_of_a_target_are_no_part_of_its_tag() -> None:
    assert score("gemv_q8_r4.gfx90a.cu", arch="gfx90a:sramecc+:xnack-") == 1200 + TOKEN


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("fast-gemv_q8_r4", 250),
        ("fast-gemv_q8", 250),
        ("fast.gemv_q8.x", 250),
        ("fast_gemv_q8", 10),
        ("gemv_q8_r4_wide", 10),
    ],
)
def test_a_variant_elsewhere_in_the_stem(stem: str, expected: int) -> None:
    assert score(f"{stem}.cu") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("void gemv_q8_r4() {}", 140),
        ("gemv_q8 gemv_q8_r4", 140),
        ("// gemv_q8", 100),
        ("my_gemv_q8_r4_x", 5),
    ],
)
def test_text(text: str, expected: int) -> None:
    assert score("other.cu", text) == expected


def test_no_match_is_no_candidate_whatever_the_place() -> None:
    assert score("kernels/src/other.hip", "void f() {}") == 0


def test_place_counts_for_candidates() -> None:
    assert score("other.hip", "gemv_q8_r4") == 140 + 25
    assert score("kernels/src/other.cu", "gemv_q8_r4") == 140 + 15
    assert score("kernels/src/other.hip", "gemv_q8_r4") == 140 + 25 + 15
    assert score("x/kernels/src/other.cu", "gemv_q8_r4") == 140


@pytest.mark.parametrize(
    ("path", "is_penalised"),
    [
        ("test/a.cu", True),
        ("x/tests/a.cu", True),
        ("bench/a.cu", True),
        ("benches/a.cu", True),
        ("benchmarks/a.cu", True),
        ("x/test_a.cu", True),
        ("x/benchmark_a.cu", True),
        ("x/bench_a.cu", True),
        ("testing/a.cu", False),
        ("x/a_test.cu", False),
        ("x/test.cu", False),
        ("latest/a.cu", False),
        ("x/workbench.cu", False),
        ("test_x/a.cu", False),
    ],
)
def test_tests_and_benchmarks_lose_200(path: str, *, is_penalised: bool) -> None:
    assert score(path, "gemv_q8_r4") == 140 - (200 if is_penalised else 0)


def test_all_of_it_together() -> None:
    path = "kernels/src/tests/gemv_q8_r4.gfx1201.hip"
    assert score(path, "gemv_q8_r4", arch="gfx1201") == 1200 + 250 + 140 + 25 + 15 - 200


def test_the_descriptors_suffix_makes_the_symbol_a_variant() -> None:
    assert score("gemv.cu", "gemv", name="gemv.kd") == 900 + 250 + 100


def test_reasons_name_their_points() -> None:
    path = TreePath(b"kernels/src/gemv.hip")
    file = SourceFile(path, Text(path.stem), Text(b"gemv"))
    reasons = score_source(KernelName("gemv"), file, Target(None))
    assert [str(reason) for reason in reasons] == [
        "stem is the name +1000",
        "variant is a token of the stem +250",
        "text has the name +140",
        "file is .hip +25",
        "under kernels/src/ +15",
    ]
