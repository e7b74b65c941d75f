from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.dispatch.names import KernelName, Match, Text, name_variants


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gemv_q8", ("gemv_q8",)),
        ("gemv_q8.kd", ("gemv_q8.kd", "gemv_q8")),
        ("gemv_r4", ("gemv_r4", "gemv")),
        ("gemv_k8", ("gemv_k8", "gemv")),
        ("gemv_v2", ("gemv_v2", "gemv")),
        ("gemv_default", ("gemv_default", "gemv")),
        ("gemv_r4.kd", ("gemv_r4.kd", "gemv_r4", "gemv")),
        ("g_v2_r4_k8.kd", ("g_v2_r4_k8.kd", "g_v2_r4_k8", "g_v2_r4", "g_v2", "g")),
        ("g_r4_r4", ("g_r4_r4", "g_r4", "g")),
        ("g_default_v2", ("g_default_v2", "g_default", "g")),
        ("gemv_r8", ("gemv_r8",)),
        ("gemv_r4_wide", ("gemv_r4_wide",)),
        ("gemv_v2.kd.kd", ("gemv_v2.kd.kd", "gemv_v2.kd")),
        (".kd", (".kd",)),
        ("_r4", ("_r4",)),
        ("_r4.kd", ("_r4.kd", "_r4")),
        ("GEMV_R4", ("GEMV_R4",)),
    ],
)
def test_variants_are_the_name_without_kd_then_without_each_trailing_suffix(
    name: str, expected: tuple[str, ...]
) -> None:
    assert name_variants(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"launch(gemv_r4)", Match.NAME),
        (b"gemv_r4", Match.NAME),
        (b"x-gemv_r4.y", Match.NAME),
        (b"\xffgemv_r4\xc3\xa9", Match.NAME),
        (b"launch(gemv)", Match.VARIANT),
        (b"gemv_r4x + gemv", Match.VARIANT),
        (b"gemv_r44", Match.SUBSTRING),
        (b"my_gemv_r4", Match.SUBSTRING),
        (b"GEMV_R4", Match.NONE),
        (b"gem v", Match.NONE),
        (b"", Match.NONE),
    ],
)
def test_a_token_stands_between_characters_that_are_no_word_characters(
    text: bytes, expected: Match
) -> None:
    assert KernelName("gemv_r4").match(Text(text)) is expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("ns::f<4>(int*)", b"call ns::f<4>(int*);", Match.NAME),
        ("ns::f<4>(int*)", b"call ns::f<4>(int*)x;", Match.SUBSTRING),
        ("a.*b", b"axxb", Match.NONE),
        ("a+b", b"(a+b)", Match.NAME),
        ("[", b"x[0]", Match.SUBSTRING),
        ("gemv.kd", b"gemv.kd", Match.NAME),
        ("gemv.kd", b"gemvykd gemv", Match.VARIANT),
        ("ядро", "// ядро".encode(), Match.NAME),
        ("two words", b"has two words.", Match.NAME),
    ],
)
def test_other_characters_than_those_of_words_are_taken_as_they_are(
    name: str, text: bytes, expected: Match
) -> None:
    assert KernelName(name).match(Text(text)) is expected


@settings(derandomize=True, max_examples=60, deadline=None)
@given(st.text(min_size=1), st.sampled_from(["", "_r4", "_k8_v2", "_default.kd", ".kd"]))
def test_any_name_has_variants_that_begin_one_another(stem: str, suffix: str) -> None:
    kernel = KernelName(stem + suffix)
    for longer, shorter in zip(kernel.variants, kernel.variants[1:], strict=False):
        assert shorter
        assert longer.startswith(shorter)
    assert kernel.match(Text(b" " + kernel.spellings[0].raw + b" ")) is Match.NAME


def test_a_lone_surrogate_in_a_name_is_no_error() -> None:
    assert KernelName("gemv_\udc80").match(Text(b"gemv_")) is Match.NONE
