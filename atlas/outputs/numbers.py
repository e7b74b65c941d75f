"""Numbers as programs print them: read exactly, or refused, never cut.

A printed number is a whole token. Decimal commas and grouped thousands are read where only one
reading exists; ``1,234`` has two (a thousand, or one and a bit) and is refused. ``nan`` and ``inf``
stay the text that was printed, for they are no quantities. A trailing ``.`` means the printer was
cut off, so ``0.`` is no number.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, TypeAlias

from ledger.finding import Finding

if TYPE_CHECKING:
    from collections.abc import MutableSequence

Number: TypeAlias = int | float | str
"""A quantity, or the printed text of one that is not finite."""

NUMBER = r"[-+]?(?:[nN]a[nN]|[iI]nf(?:inity)?|[0-9.,]+(?:[eE][-+]?[0-9]*)?)"
"""Pattern of a token that wants to be a number; `number` decides whether it is one."""

MICRO = "(?:[µμu\ufffd]s)"
"""Pattern of the unit microsecond: micro sign, Greek mu, plain u, or an undecodable byte."""

_LONGEST = 64  # no printer needs more digits, and int() of millions of digits is slow

_PLAIN = re.compile(
    r"([-+]?)([0-9]+)(\.[0-9]+)?([eE][-+]?[0-9]+)?|([-+]?)(\.[0-9]+)([eE][-+]?[0-9]+)?"
)
_NOT_FINITE = re.compile(r"[-+]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
_COMMA_GROUPS = re.compile(
    r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+\.[0-9]+|[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3}){2,}"
)
_DOT_GROUPS = re.compile(
    r"[-+]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+|[-+]?[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}"
)
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+(?:[eE][-+]?[0-9]+)?")
_AMBIGUOUS = re.compile(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}")
_UNIT = rf"(?:ms|s|{MICRO}|ns|%|x|tok/s|[GMK]i?B(?:/s)?|bytes|B)"
_MEASURED = re.compile(rf"({NUMBER})\s?{_UNIT}?")


def number(text: str) -> Number | None:  # noqa: PLR0911 - one return per way of printing
    """The number a whole token spells.

    Args:
        text: the token, without its unit; surrounding blanks are ignored.

    Returns:
        An ``int`` or a finite ``float``; the printed text for ``nan``, ``inf`` and numbers beyond a
        double's range; None when the token is no number, is cut, or can be read in two ways.
    """
    token = text.strip()
    if not token or len(token) > _LONGEST:
        return None
    plain = _PLAIN.fullmatch(token)
    if plain:
        whole = plain[2] is not None and plain[3] is None and plain[4] is None
        return int(token) if whole else _finite(token, token)
    if _NOT_FINITE.fullmatch(token):
        return token
    if _COMMA_GROUPS.fullmatch(token):
        return _grouped(token.replace(",", ""), token)
    if _DOT_GROUPS.fullmatch(token):
        return _grouped(token.replace(".", "").replace(",", "."), token)
    if _DECIMAL_COMMA.fullmatch(token) and not _AMBIGUOUS.fullmatch(token):
        return _finite(token.replace(",", "."), token)
    return None


def measured(text: str) -> Number | None:
    """The number in a token that may carry a unit, such as ``41.2ms``; None as for `number`."""
    match = _MEASURED.fullmatch(text.strip())
    return number(match[1]) if match else None


def finite(value: Number | None) -> float | None:
    """The value as a finite float, or None for texts and missing values."""
    return None if value is None or isinstance(value, str) else float(value)


def read(text: str, name: str, line: int, findings: MutableSequence[Finding]) -> Number | None:
    """Read a metric's token with `measured` and say why when it is refused.

    Args:
        text: the token as printed.
        name: what the token is, for the finding.
        line: line number in the output, 1-based.
        findings: receives one finding when the token is refused or not finite.
    """
    value = measured(text)
    where = f"line {line}"
    if value is None:
        findings.append(_refusal(text.strip(), name, where))
    elif isinstance(value, str):
        findings.append(
            Finding("metric_not_finite", f"{name} was printed as {value[:_LONGEST]}", where)
        )
    return value


def _refusal(token: str, name: str, where: str) -> Finding:
    shown = token[:_LONGEST]
    if _AMBIGUOUS.fullmatch(token):
        message = f"{name}={shown} may mean thousands or a decimal comma; it was not read"
        return Finding("ambiguous_number", message, where)
    if re.fullmatch(r"[-+]?[0-9.,]*(?:[.,]|[eE][-+]?)", token):
        return Finding("number_cut", f"{name} is cut off after {shown!r}; it was not read", where)
    return Finding("not_a_number", f"{name} is no number: {shown!r}", where)


def _finite(plain: str, printed: str) -> Number:
    value = float(plain)
    return value if math.isfinite(value) else printed


def _grouped(plain: str, printed: str) -> Number:
    return _finite(plain, printed) if "." in plain else int(plain)
