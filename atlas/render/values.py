"""Values of results as plain JSON values or as short text."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

from atlas.render.text import printable


def plain(value: Any) -> Any:
    """A JSON value: times as ISO-8601 UTC, NaN and infinities as None, bytes as hex."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return _plain_scalar(value)


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dt.datetime):
        return value.isoformat() + ("" if value.tzinfo else "Z")
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value.hex() if isinstance(value, bytes | bytearray) else str(value)


def short(value: Any) -> str:
    """One line of text for people: lists joined by commas, floats to 6 digits, unknown as empty."""
    if value is None:
        return ""
    if isinstance(value, dict):
        return ", ".join(f"{key}={short(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(short(item) for item in value)
    return _short_scalar(value)


def _short_scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.1f}"
    if isinstance(value, dt.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return " ".join(printable(str(value)).split("\n"))
