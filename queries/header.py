"""The comment header of a query file: its documentation, and the types of its parameters.

```sql
-- summary: One sentence.
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
_FIELD = re.compile(r"--\s*(summary|grain|columns|param|example|note):\s?(.*)")


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
        grain: the columns that are unique together.
        columns: (name, meaning) of each output column, in order.
        params: parameters, in order.
        examples: command lines worth trying.
    """

    summary: str
    grain: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    params: tuple[Param, ...]
    examples: tuple[str, ...]


def read_header(text: str, where: str) -> tuple[Header, str]:
    """Split a query file into its header and its one bare statement.

    Raises:
        HeaderError: a field is missing, unknown or unreadable.
    """
    lines = text.splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("--")), len(lines))
    fields: dict[str, list[str]] = {}
    current: list[str] | None = None
    for number, line in enumerate(lines[:end], start=1):
        match = _FIELD.match(line)
        if match:
            current = fields.setdefault(match[1], [])
            current.append(match[2].rstrip())
        elif current is None:
            raise HeaderError(f"{where}:{number}: a header line before the first field")
        else:
            current.append(line[2:].rstrip())
    statement = "\n".join(lines[end:]).strip().rstrip(";")
    if "summary" not in fields or not statement:
        raise HeaderError(f"{where}:1: a query file has a `-- summary:` and one statement")
    return _header(fields, where), statement


def _header(fields: dict[str, list[str]], where: str) -> Header:
    return Header(
        summary=" ".join(part.strip() for part in fields["summary"]),
        grain=tuple(name.strip() for name in ",".join(fields.get("grain", [])).split(",") if name),
        columns=tuple(_column(line) for line in fields.get("columns", []) if line.strip()),
        params=tuple(_param(line, where) for line in fields.get("param", []) if line.strip()),
        examples=tuple(line.strip() for line in fields.get("example", []) if line.strip()),
    )


def _column(line: str) -> tuple[str, str]:
    name, _, meaning = line.strip().partition(" ")
    return name, meaning.strip()


def _param(line: str, where: str) -> Param:
    match = _PARAM.fullmatch(line.strip())
    if not match:
        raise HeaderError(
            f"{where}: can't read `-- param: {line.strip()}`: NAME TYPE = default  help"
        )
    return Param(match["name"], match["type"], match["default"], match["help"] or "")
