"""Results in every format of the command line."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from typing import TYPE_CHECKING

from atlas.render.text import printable
from atlas.render.values import plain, short

if TYPE_CHECKING:
    from collections.abc import Callable

    from ledger.reader import Result

_NUMERIC = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "HUGEINT")


def as_json(result: Result) -> str:
    """An array of objects."""
    return json.dumps([plain(row) for row in result.dicts()], ensure_ascii=False, indent=1) + "\n"


def as_jsonl(result: Result) -> str:
    """One object a line."""
    return "".join(json.dumps(plain(row), ensure_ascii=False) + "\n" for row in result.dicts())


def as_csv(result: Result) -> str:
    """RFC 4180 with a header line; lists and structs as JSON."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(result.columns)
    for row in result.rows:
        writer.writerow([_cell(value) for value in row])
    return out.getvalue()


def _cell(value: object) -> object:
    known = plain(value)
    if isinstance(known, dict | list):
        return json.dumps(known, ensure_ascii=False)
    return printable(known) if isinstance(known, str) else known


def as_markdown(result: Result) -> str:
    """A pipe table."""
    lines = [_pipes(list(result.columns)), _pipes([_dashes(kind) for kind in result.types])]
    body = [_pipes([short(value).replace("|", "\\|") for value in row]) for row in result.rows]
    return "\n".join([*lines, *body]) + "\n"


def _pipes(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _dashes(kind: str) -> str:
    return "---:" if kind.endswith(_NUMERIC) else "---"


def as_table(result: Result) -> str:
    """A table as wide as the terminal, or as wide as it needs where there is none."""
    terminal = sys.stdout.isatty()
    text = _fitted_table(result) if terminal else _wide_table(result)
    count = len(result.rows)
    return f"{text}\n{count} row{'' if count == 1 else 's'}\n"


def _wide_table(result: Result) -> str:
    """What `_fitted_table` gives where nothing has to fold, many times faster."""
    from rich.cells import cell_len

    right = [kind.endswith(_NUMERIC) for kind in result.types]
    head = [printable(column) for column in result.columns]
    cells = [head, *([short(value) for value in row] for row in result.rows)]
    sizes = [[cell_len(cell) for cell in row] for row in cells]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    lines = [
        "   ".join(
            " " * (width - size) + cell if on_right else cell + " " * (width - size)
            for cell, size, width, on_right in zip(row, taken, widths, right, strict=True)
        ).rstrip()
        for row, taken in zip(cells, sizes, strict=True)
    ]
    lines.insert(1, "─" * (sum(widths) + 3 * (len(widths) - 1)))
    return "\n".join(lines)


def _fitted_table(result: Result) -> str:
    """A table that folds its cells to the width of the terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column, kind in zip(result.columns, result.types, strict=True):
        table.add_column(
            Text(printable(column)),
            justify="right" if kind.endswith(_NUMERIC) else "left",
            overflow="fold",
        )
    for row in result.rows:
        table.add_row(*(Text(short(value)) for value in row))
    out = io.StringIO()
    columns = shutil.get_terminal_size().columns
    Console(file=out, width=columns, force_terminal=True, highlight=False).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def as_parquet(result: Result) -> bytes:
    """A Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        name: [_cell(row[place]) for row in result.rows]
        for place, name in enumerate(result.columns)
    }
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()


def as_text(result: Result, form: str) -> str:
    """The result in one of the text formats: table, json, jsonl, csv or markdown."""
    return _TEXT[form](result)


_TEXT: dict[str, Callable[[Result], str]] = {
    "table": as_table,
    "json": as_json,
    "jsonl": as_jsonl,
    "csv": as_csv,
    "markdown": as_markdown,
}
