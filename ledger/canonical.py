"""Canonical JSON: one text for one value, so that a hash of it means something.

The rule: UTF-8; object keys sorted by code point; no blanks; integers of any size exact; floats in
the shortest form that reads back equal, with an exponent below ``0.00001`` and from ``1e+16`` on,
written without padding (``1e-7``); NaN and infinities as the strings ``"NaN"``, ``"Infinity"``,
``"-Infinity"``; lone surrogates replaced by U+FFFD. What had to be replaced is reported as a
finding. Text is canonicalised once, hashed as stored, and never written again.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

import orjson

from ledger.finding import Finding

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DEPTH = 254
"""Where orjson stops too, so that both paths accept the same values."""

_MAX_DEPTH_READ = 240
"""What is read can be wrapped in a payload and still be written."""

_FAST = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)


class NotJson(ValueError):
    """The text is no JSON document.

    Attributes:
        offset: byte offset of the first character that can't be right.
        truncated: the text ended before the document did.
    """

    def __init__(self, message: str, offset: int, *, truncated: bool) -> None:
        super().__init__(message)
        self.offset = offset
        self.truncated = truncated


class Canonical:
    """A value that stands for its canonical text: written once, put into larger values as it is.

    Attributes:
        text: canonical JSON.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def dumps(value: Any) -> tuple[str, list[Finding]]:
    """Canonical text of a JSON value, and what had to be replaced to get it.

    Raises:
        NotJson: the value holds something JSON has no form for, or is nested deeper than
            254 levels.
    """
    if _ORJSON_AGREES:
        try:
            fast = orjson.dumps(value, _fragment, _FAST)
        except (TypeError, orjson.JSONEncodeError):
            pass
        else:
            # orjson writes NaN as null without a word, so a null is looked at twice.
            if b"null" not in fast or _all_finite(value):
                return fast.decode(), []
    findings: list[Finding] = []
    return _exact(value, "$", 0, findings), findings


def loads(data: bytes) -> tuple[Any, list[Finding]]:
    """The JSON value in ``data`` (UTF-8), integers exact, and findings about duplicate keys.

    Raises:
        NotJson: ``data`` is no JSON document; says at which byte.
    """
    value, _, findings = _load(data)
    return value, findings


def loads_canonical(data: bytes) -> tuple[Any, str, list[Finding]]:
    """As `loads`, with the value's canonical text, for less than `loads` and `dumps` cost.

    Raises:
        NotJson: ``data`` is no JSON document, or its value has no canonical form.
    """
    value, text, findings = _load(data)
    if text is None or not _ORJSON_AGREES:
        text, replaced = dumps(value)
        findings = [*findings, *replaced]
    return value, text, findings


def _load(data: bytes) -> tuple[Any, str | None, list[Finding]]:
    """The value, its canonical text where that is known already, and findings."""
    try:
        value = orjson.loads(data)
        again = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return _loads_exact(data)
    # orjson turns integers beyond 64 bits into floats (which it writes with an exponent), and drops
    # all but the last of equal keys (which leaves fewer quotes): both are seen by writing again.
    # (One byte or two are sought first: that is several times faster than a longer text.)
    if (b"+" in again and b"e+" in again) or (b"\\u" in data and b"\\u0022" in data):
        return _loads_exact(data)
    if data.count(b'"') != again.count(b'"'):
        return _loads_exact(data)
    if _too_deep(value, again):
        return _loads_exact(data)
    return value, again.decode(), []


def _too_deep(value: Any, plain: bytes) -> bool:
    """Whether ``value`` is nested too deeply; ``plain`` is its text, which mostly settles it."""
    return (
        plain.count(b"[") + plain.count(b"{") > _MAX_DEPTH_READ and _depth(value) > _MAX_DEPTH_READ
    )


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        level = [
            inner for one in level for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return depth


def _loads_exact(data: bytes) -> tuple[Any, None, list[Finding]]:
    findings: list[Finding] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items):
            times = Counter(key for key, _ in items)
            twice = sorted(key for key, count in times.items() if count > 1)
            findings.append(
                Finding(
                    "duplicate_key", "a key stands twice; the last one counts", ", ".join(twice)
                )
            )
        return found

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotJson("not UTF-8", error.start, truncated=False) from None
    try:
        value = json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        truncated = not text[error.pos :].strip() or "Unterminated" in error.msg
        end = len(data) if truncated else offset
        raise NotJson(error.msg, end, truncated=truncated) from None
    except RecursionError:
        raise NotJson("nested too deeply", 0, truncated=False) from None
    except ValueError as error:  # an integer of more digits than the interpreter converts
        raise NotJson(str(error), 0, truncated=False) from None
    if _depth(value) > _MAX_DEPTH_READ:
        raise NotJson("nested too deeply", 0, truncated=False)
    return value, None, findings


def float_text(value: float) -> str:
    """Shortest text that reads back as the finite float ``value``."""
    text = repr(value)
    mantissa, mark, exponent = text.partition("e")
    if exponent == "-05":
        sign = "-" if value < 0 else ""
        digits = mantissa.lstrip("-").replace(".", "")
        return f"{sign}0.0000{digits}"
    return f"{mantissa}e{exponent[0]}{exponent[1:].lstrip('0')}" if mark else text


def _fragment(value: Any) -> orjson.Fragment:
    if isinstance(value, Canonical):
        return orjson.Fragment(value.text)
    raise TypeError


def _all_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_all_finite, value.values()))
    return all(map(_all_finite, value)) if isinstance(value, list | tuple) else True


def _exact(value: Any, where: str, depth: int, findings: list[Finding]) -> str:
    if depth > _MAX_DEPTH:
        raise NotJson(f"nested deeper than {_MAX_DEPTH} levels at {where[:80]}", 0, truncated=False)
    if isinstance(value, dict):
        members = {_key(key, where, findings): key for key in value}
        parts = (
            f"{_string(name, where, findings)}:"
            f"{_exact(value[members[name]], f'{where}.{name}', depth + 1, findings)}"
            for name in sorted(members)
        )
        return "{" + ",".join(parts) + "}"
    if isinstance(value, list | tuple):
        items = (_exact(v, f"{where}[{i}]", depth + 1, findings) for i, v in enumerate(value))
        return "[" + ",".join(items) + "]"
    return _scalar(value, where, findings)


def _scalar(value: Any, where: str, findings: list[Finding]) -> str:
    if isinstance(value, Canonical):
        return value.text
    if isinstance(value, str):
        return _string(value, where, findings)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return _integer(value, where)
    if isinstance(value, float):
        if math.isfinite(value):
            return float_text(value)
        text = "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        findings.append(Finding("number_not_finite", f"{text} kept as text", where))
        return f'"{text}"'
    raise NotJson(f"{type(value).__name__} at {where} has no JSON form", 0, truncated=False)


def _integer(value: int, where: str) -> str:
    try:
        return int.__repr__(value)
    except ValueError:  # more digits than the interpreter converts
        raise NotJson(f"the integer at {where} is too long", 0, truncated=False) from None


def _key(key: Any, where: str, findings: list[Finding]) -> str:
    if not isinstance(key, str):
        raise NotJson(f"key {key!r} at {where} is no string", 0, truncated=False)
    return _whole(key, where, findings)


def _string(text: str, where: str, findings: list[Finding]) -> str:
    return orjson.dumps(_whole(text, where, findings)).decode()


def _whole(text: str, where: str, findings: list[Finding]) -> str:
    if not _SURROGATE.search(text):
        return text
    findings.append(Finding("lone_surrogate", "half a character replaced by U+FFFD", where))
    return _SURROGATE.sub("�", text)


# Older orjson wrote exponents differently; then the exact path does all the work.
_ORJSON_AGREES = orjson.dumps([1e16, 1e-7, 1e22, 5e-324, 1.5e-5]) == (
    b"[1e+16,1e-7,1e+22,5e-324,0.000015]"
)
