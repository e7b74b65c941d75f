import datetime as dt
import json
import math
import struct
import time
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import canonical
from ledger.canonical import NotJson, dumps, loads

steady = settings(derandomize=True, max_examples=150, deadline=None)

any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=8)
sound_text = st.text(max_size=8)
any_float = st.integers(0, 2**64 - 1).map(lambda n: struct.unpack("<d", n.to_bytes(8, "little"))[0])
plain_float = st.floats(allow_nan=False, allow_infinity=False) | any_float.filter(math.isfinite)
integer = st.integers() | st.integers(2**63 - 2, 2**64 + 2) | st.integers(-(10**40), 10**40)


def documents(leaf: Any, text: Any) -> Any:
    return st.recursive(
        leaf,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=12,
    )


sound = documents(
    st.none() | st.booleans() | integer | plain_float | sound_text,
    sound_text,
)
anything = documents(
    st.none() | st.booleans() | integer | st.floats() | any_float | any_text,
    any_text,
)


def exact(value: Any) -> str:
    return canonical._exact(value, "$", 0, [])


@steady
@given(sound)
def test_writing_and_reading_is_a_fixpoint(value: Any) -> None:
    text, findings = dumps(value)
    again, told = loads(text.encode())
    assert findings == told == []
    assert dumps(again) == (text, [])
    assert json.loads(text) == value


@steady
@given(anything)
def test_whatever_had_to_be_replaced_the_text_is_a_fixpoint(value: Any) -> None:
    text, _ = dumps(value)
    again, _ = loads(text.encode())
    assert dumps(again) == (text, [])


@steady
@given(anything)
def test_both_paths_write_the_same(value: Any) -> None:
    assert dumps(value)[0] == exact(value)


@steady
@given(sound)
def test_without_orjson_the_text_is_the_same(value: Any) -> None:
    fast, _ = dumps(value)
    agreed = canonical._ORJSON_AGREES
    canonical._ORJSON_AGREES = False
    try:
        assert dumps(value)[0] == fast
    finally:
        canonical._ORJSON_AGREES = agreed


@settings(derandomize=True, max_examples=2000, deadline=None)
@given(any_float.filter(math.isfinite) | st.floats(1e-7, 1e-3) | st.floats(-1e-3, -1e-7))
def test_a_float_has_one_text_and_reads_back_equal(value: float) -> None:
    text = canonical.float_text(value)
    assert struct.pack("d", float(text)) == struct.pack("d", value)
    assert orjson.dumps(value).decode() == text
    assert len(text.lstrip("-").replace("0.0000", "").replace(".", "")) <= 24


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-5, "0.00001"),
        (-8.540817562275902e-05, "-0.00008540817562275902"),
        (9.999999999999999e-06, "9.999999999999999e-6"),
        (1e-7, "1e-7"),
        (1e16, "1e+16"),
        (1.5e300, "1.5e+300"),
        (123456789012345680.0, "1.2345678901234568e+17"),
        (9007199254740993.0, "9007199254740992.0"),
        (-0.0, "-0.0"),
        (5e-324, "5e-324"),
        (0.1 + 0.2, "0.30000000000000004"),
        (10**40 + 1, "1" + "0" * 39 + "1"),
        (-(2**63) - 1, "-9223372036854775809"),
        ({"b": None, "a": 1e-5}, '{"a":0.00001,"b":null}'),
        ({"b": 0, "a": 1e-5}, '{"a":0.00001,"b":0}'),
        ({"\U0001f680": 1, "\uffee": 2, "é": 3, "e": 4, "": 5}, '{"":5,"e":4,"é":3,"￮":2,"🚀":1}'),
        ('\u2028\x7f\x00\x1f"\\/\n', '"\u2028\x7f\\u0000\\u001f\\"\\\\/\\n"'),
        ([True, False, None, [], {}], "[true,false,null,[],{}]"),
        ("null", '"null"'),
    ],
)
def test_golden_texts(value: Any, text: str) -> None:
    assert dumps(value) == (text, [])
    assert exact(value) == text


def test_what_json_can_not_hold_is_kept_as_text_and_told() -> None:
    text, findings = dumps({"a": [math.nan, math.inf, -math.inf], "b\ud800": "\udfff!"})
    assert text == '{"a":["NaN","Infinity","-Infinity"],"b\ufffd":"\ufffd!"}'
    assert [one.code for one in findings].count("number_not_finite") == 3
    assert [one.code for one in findings].count("lone_surrogate") == 2
    assert {one.where for one in findings} >= {"$.a[0]", "$.a[1]", "$.a[2]"}


@pytest.mark.parametrize(
    "value",
    [
        {1: 2},
        b"x",
        object(),
        {"a": {"b": {1, 2}}},
        dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
        10**5000,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_json_form_is_refused(value: Any) -> None:
    with pytest.raises(NotJson):
        dumps(value)


@pytest.mark.parametrize("leaf", [1, None, math.nan])
def test_depth_is_bounded_alike_on_both_paths(leaf: Any) -> None:
    deep = leaf
    for _ in range(254):
        deep = [deep]
    assert dumps(deep)[0].count("[") == 254
    with pytest.raises(NotJson, match="deeper than 254"):
        dumps([deep])


@pytest.mark.parametrize("inside", [b"1", b"null", b"123456789012345678901", b'{"a":1,"a":2}'])
def test_what_is_read_can_be_wrapped_and_written(inside: bytes) -> None:
    fits = b"[" * 239 + inside + b"]" * 239
    assert dumps({"source": {}, "document": [[loads(fits)[0]]]})[0]
    for depth in (241, 254, 300, 1023, 100_000):
        with pytest.raises(NotJson, match="too deeply"):
            loads(b"[" * depth + inside + b"]" * depth)


@pytest.mark.parametrize(
    "text",
    [
        b'{"a":1,"a":2}',
        b'{"a":"x","a":2}',
        b'{"\\u0061":1,"a":2}',
        b'{"a":1,"b":{"a":2},"a":2}',
        b'{"\\u0022":1,"\\"":2, "a":2}',
        b'{"x\\u0022y":1,"x\\"y":2, "a":2}',
        b'{"a":"\\u0022\\u0022","a":2}',
        b'{"a":"\\"\\"\\u0022","\\u0061":"", "a":2}',
    ],
)
def test_a_key_that_stands_twice_is_told_and_the_last_one_counts(text: bytes) -> None:
    value, findings = loads(text)
    assert value["a"] == 2
    assert [one.code for one in findings] == ["duplicate_key"]


@steady
@given(st.lists(st.tuples(st.sampled_from(['"', "a", "\\", "é", "\u2028"]), integer), max_size=6))
def test_duplicate_keys_are_told_exactly_when_there_are_some(pairs: list[tuple[str, int]]) -> None:
    text = "{" + ",".join(f"{json.dumps(key)}:{number}" for key, number in pairs) + "}"
    value, findings = loads(text.encode())
    assert value == dict(pairs)
    assert bool(findings) == (len(dict(pairs)) < len(pairs))


def test_a_quote_by_number_is_no_duplicate() -> None:
    assert loads(b'{"\\u0022":1,"b":"\\u0022\\""}') == ({'"': 1, "b": '""'}, [])


def test_many_duplicate_keys_take_no_quadratic_time() -> None:
    text = "{" + ",".join(f'"k{n}":1' for n in range(60_000)) + ',"k1":2}'
    began = time.monotonic()
    value, findings = loads(text.encode())
    assert time.monotonic() - began < 5
    assert value["k1"] == 2
    assert findings[0].where == "k1"


@steady
@given(sound)
def test_both_readers_read_the_same(value: Any) -> None:
    text = json.dumps(value).encode()
    assert repr(loads(text)) == repr(canonical._loads_exact(text)[::2])


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"18446744073709551616", 2**64),
        (b"-9223372036854775809", -(2**63) - 1),
        (b"[1e400]", math.inf),
        (b"-0", 0),
        (b"1E5", 1e5),
    ],
)
def test_numbers_are_read_exactly(text: bytes, number: float) -> None:
    value, _ = loads(text)
    value = value[0] if isinstance(value, list) else value
    assert (value, type(value)) == (number, type(number))


@pytest.mark.parametrize(
    ("text", "offset", "truncated"),
    [
        (b'{"a": 1', 7, True),
        (b'{"a": "ab', 9, True),
        (b"[1, 2,, 3]", 6, False),
        ('{"é": x}'.encode(), 7, False),
        (b'"\xff"', 1, False),
        (b"", 0, True),
    ],
)
def test_broken_text_is_told_with_its_place(text: bytes, offset: int, truncated: bool) -> None:
    with pytest.raises(NotJson) as told:
        loads(text)
    assert (told.value.offset, told.value.truncated) == (offset, truncated)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.binary(max_size=40) | st.text('{}[]":,0123456789eE+-.\\u naltrufs\x00', max_size=30))
def test_reading_raises_nothing_else(text: bytes | str) -> None:
    data = text.encode() if isinstance(text, str) else text
    try:
        value, _ = loads(data)
    except NotJson as error:
        offset = error.offset
    else:
        offset = 0
        canonical_text = dumps(value)[0]
        assert dumps(loads(canonical_text.encode())[0])[0] == canonical_text
    assert 0 <= offset <= len(data)
