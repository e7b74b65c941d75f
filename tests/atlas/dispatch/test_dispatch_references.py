from __future__ import annotations

import pytest

from atlas.dispatch.names import KernelName
from atlas.dispatch.paths import TreePath
from atlas.dispatch.references import Line, ReferenceFile, score_line
from atlas.dispatch.score import total

KERNEL = KernelName("gemv_q8_r4")


def lines(data: bytes, kernel: KernelName = KERNEL, path: str = "cli/a.rs") -> list[Line]:
    return list(ReferenceFile(TreePath(path.encode()), data).lines_with(kernel))


def score(text: str, path: str = "cli/a.rs") -> int:
    (line,) = lines(text.encode(), path=path)
    return total(score_line(KERNEL, line))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gemv_q8_r4", 1000 + 220),
        ("gemv_q8", 1000 + 160),
        ("gemv_q8_r4x", 1000 + 5),
        ("// gemv_q8_r4", 100 + 220),
        ("   /// gemv_q8_r4", 100 + 220),
        ("/* gemv_q8_r4 */", 100 + 220),
        ("\t* gemv_q8", 100 + 160),
        ("x; // gemv_q8_r4", 1000 + 220),
        ("# gemv_q8_r4", 1000 + 220),
    ],
)
def test_code_or_comment_and_how_it_matches(text: str, expected: int) -> None:
    assert score(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "launch gemv_q8_r4",
        "Dispatch gemv_q8_r4",
        "KERNEL gemv_q8_r4",
        "call gemv_q8_r4",
        "gpu.gemv_q8_r4",
    ],
)
def test_call_like_words_give_60(text: str) -> None:
    assert score(text) == 1000 + 220 + 60


def test_call_like_words_count_once_and_within_words() -> None:
    assert score("gpu.launch_kernel gemv_q8_r4") == 1000 + 220 + 60


def test_gpu_without_a_dot_is_no_call() -> None:
    assert score("gpu gemv_q8_r4") == 1000 + 220


def test_parentheses_give_25() -> None:
    assert score("f(gemv_q8_r4)") == 1000 + 220 + 25
    assert score("f(gemv_q8_r4,") == 1000 + 220 + 25


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("crates/hipfire-runtime/dispatch.rs", 40),
        ("cli/dispatch.rs", 40),
        ("crates/hipfire-runtime/a.rs", 30),
        ("crates/hipfire-runtime2/a.rs", 20),
        ("crates/x/a.rs", 20),
        ("kernels/src/a.h", 10 + 45),
        ("cli/a.ts", 0),
        ("cli/my_dispatch.rs", 0),
        ("cli/src/a.ts", 45),
        ("crates/x/src/dispatch.rs", 40 + 45),
        ("crates/x/examples/a.rs", 20 - 150),
        ("crates/x/tests/a.rs", 20 - 200),
        ("crates/x/benches/a.rs", 20 - 200),
        ("crates/x/src/test_a.rs", 20 + 45 - 200),
        ("crates/x/examples/tests/a.rs", 20 - 150 - 200),
    ],
)
def test_place(path: str, expected: int) -> None:
    assert score("gemv_q8_r4", path) == 1000 + 220 + expected


def test_all_of_it_together() -> None:
    text = '    gpu.launch_kernel("gemv_q8_r4", grid);'
    assert score(text, "crates/x/src/dispatch.rs") == 1000 + 220 + 60 + 25 + 40 + 45


def test_lines_are_counted_by_line_feeds() -> None:
    data = b"gemv_q8\r\n\r\nx\x0c gemv_q8_r4\r gemv_q8 gemv_q8\n\x85\nmy_gemv_q8"
    found = lines(data)
    assert [line.number for line in found] == [1, 3, 5]
    assert found[1].text.data == b"x\x0c gemv_q8_r4\r gemv_q8 gemv_q8"


def test_the_last_line_needs_no_line_feed_and_the_first_none_before_it() -> None:
    assert [line.number for line in lines(b"gemv_q8")] == [1]
    assert [line.number for line in lines(b"\ngemv_q8\n")] == [2]
    assert lines(b"") == []


def test_a_name_with_a_line_feed_is_on_no_line() -> None:
    assert lines(b"a\nb", KernelName("a\nb")) == []


def test_reasons_name_their_points() -> None:
    (line,) = lines(b"// launch(gemv_q8)", path="crates/x/src/a.rs")
    assert [str(reason) for reason in score_line(KERNEL, line)] == [
        "comment +100",
        "line has a variant +160",
        "call-like word +60",
        "parentheses +25",
        "under crates/ +20",
        "under /src/ +45",
    ]
