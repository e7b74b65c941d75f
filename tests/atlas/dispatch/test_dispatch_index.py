from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from atlas.dispatch import index
from atlas.dispatch.index import NameIndex
from atlas.dispatch.names import KernelName, Text

if TYPE_CHECKING:
    import pytest

ALPHABET = "ab_.<é\n "


def mentioned(names: list[str], data: bytes) -> list[str]:
    return [k.name for k in NameIndex([KernelName(n) for n in names]).mentioned(Text(data))]


def test_finds_names_as_words_and_within_words_in_the_callers_order() -> None:
    assert mentioned(["b_k8", "zz", "a"], b"xb_y a") == ["b_k8", "a"]


def test_a_name_without_word_characters_is_found() -> None:
    assert mentioned(["<>", "é"], "f<>(é)".encode()) == ["<>", "é"]


def test_the_longest_word_alone_is_no_mention() -> None:
    assert mentioned(["ns::gemv<4>"], b"gemv") == []


def test_a_word_stays_found_in_later_texts() -> None:
    names = NameIndex([KernelName("gemv")])
    texts = [Text(b"my_gemv x"), Text(b"none"), Text(b"my_gemv y")]
    assert [len(names.mentioned(text)) for text in texts] == [1, 0, 1]


def test_forgetting_known_words_changes_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "MAX_KNOWN_WORDS", 1)
    names = NameIndex([KernelName("gemv"), KernelName("norm")])
    texts = [Text(f"w{i} gemv{i} a_norm".encode()) for i in range(4)]
    assert [len(names.mentioned(text)) for text in texts] == [2, 2, 2, 2]


@settings(derandomize=True, max_examples=150, deadline=None)
@given(
    st.lists(st.text(ALPHABET, min_size=1, max_size=4), max_size=5, unique=True),
    st.lists(st.text(ALPHABET, max_size=20), min_size=1, max_size=4),
)
def test_agrees_with_asking_for_each_name_alone(names: list[str], texts: list[str]) -> None:
    together = NameIndex([KernelName(name) for name in names])
    for text in texts:
        data = text.encode()
        expected = [n for n in names if KernelName(n).root in data]
        assert [k.name for k in together.mentioned(Text(data))] == expected
