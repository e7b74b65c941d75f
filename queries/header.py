"""The comment header of a query file: its documentation, and the types of its parameters.

```sql
-- summary: One sentence.
-- kinds: collection, ingest
-- grain: event_id, ordinal
-- columns: event_id  the event the row comes from
--          ordinal   position within the event
-- param: arch VARCHAR = NULL  only this arch
-- example: atlas query hot-kernels --arch gfx1151
SELECT ...
```
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PARAM = re.compile(
    r"(?P<name>[a-z_]\w*)\s+(?P<type>[A-Z][A-Z0-9_]*(?:\[\])?)"
    r"(?:\s*=\s*(?P<default>'(?:[^']|'')*'|\S+))?(?:\s+(?P<help>.*))?"
)
_FIELD = re.compile(r"--\s*(summary|kinds|grain|columns|param|example|note):\s?(.*)")

_UNKNOWN = re.compile(r"--\s?[a-z]+:(\s|$)")


class HeaderError(ValueError):
    """A query file's header is incomplete or can't be read; names file and line."""


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a macro.

    Attributes:
        name: as it stands in the SQL.
        type: DuckDB type name.
        default: SQL literal, None when the parameter is required.
        help: what it means.
    """

    name: str
    type: str
    default: str | None
    help: str


@dataclass(frozen=True, slots=True)
class Header:
    """What a query file says about itself.

    Attributes:
        summary: one sentence.
        kinds: of a fact: the kinds of events that it is derived from; empty for all.
        grain: the columns that are unique together.
        columns: (name, meaning) of each output column, in order.
        params: parameters, in order.
        examples: command lines worth trying.
    """

    summary: str
    kinds: frozenset[str]
    grain: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    params: tuple[Param, ...]
    examples: tuple[str, ...]


def read_header(text: str, where: str) -> tuple[Header, str]:
    """Split a query file into its header and its one bare statement.

    Raises:
        HeaderError: a field is missing, unknown or unreadable; names file and line.
    """
    lines = text.splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
    fields: dict[str, list[tuple[int, str]]] = {}
    current: list[tuple[int, str]] | None = None
    for number, line in enumerate(lines[:end], start=1):
        match = _FIELD.match(line)
        if match:
            current = fields.setdefault(match[1], [])
            current.append((number, match[2].strip()))
        elif current is None or _UNKNOWN.match(line):
            raise HeaderError(f"{where}:{number}: no field of a header: {line}")
        else:
            current.append((number, line[2:].strip()))
    statement = "\n".join(lines[end:]).strip().rstrip(";")
    if "summary" not in fields or not statement:
        raise HeaderError(f"{where}:1: a query file has a `-- summary:` and one statement")
    return _header(fields, where), statement


def _header(fields: dict[str, list[tuple[int, str]]], where: str) -> Header:
    texts = {name: [text for _, text in lines if text] for name, lines in fields.items()}
    return Header(
        summary=" ".join(texts["summary"]),
        kinds=frozenset(_words(texts.get("kinds", []))),
        grain=tuple(_words(texts.get("grain", []))),
        columns=tuple(_column(line) for line in texts.get("columns", [])),
        params=tuple(
            _param(text, f"{where}:{number}") for number, text in fields.get("param", []) if text
        ),
        examples=tuple(texts.get("example", [])),
    )


def _words(lines: list[str]) -> list[str]:
    return re.findall(r"[^\s,]+", " ".join(lines))


def _column(line: str) -> tuple[str, str]:
    name, _, meaning = line.partition(" ")
    return name, meaning.strip()


def _param(line: str, where: str) -> Param:
    match = _PARAM.fullmatch(line)
    if not match:
        raise HeaderError(f"{where}: can't read `-- param: {line}`: NAME TYPE = default  help")
    return Param(match["name"], match["type"], match["default"], match["help"] or "")
