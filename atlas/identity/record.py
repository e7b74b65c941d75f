"""The shape all identities share: frozen fields that turn into JSON without their unknowns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Record:
    """Base of the identity dataclasses."""

    __slots__ = ()

    def as_json(self: DataclassInstance) -> dict[str, Any]:
        """Give the known fields as JSON; a field that is None is unknown and left out."""
        named = ((item.name, getattr(self, item.name)) for item in fields(self))
        return {name: _plain(value) for name, value in named if value is not None}


def _plain(value: Any) -> Any:
    """Turn nested records, tuples, mappings and paths into what JSON knows."""
    if isinstance(value, Record):
        return value.as_json()  # type: ignore[misc]  # every Record is a dataclass
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value
