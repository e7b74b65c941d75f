import re
from pathlib import Path

import duckdb
import pytest
from support.macros import PARAM, QUERIES

FILES = sorted((QUERIES / "macros").glob("*.sql"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_header_is_complete_and_its_example_runs(
    macros: duckdb.DuckDBPyConnection, path: Path
) -> None:
    text = path.read_text()
    header, body = re.split(r"^SELECT\b", text, maxsplit=1, flags=re.MULTILINE)
    assert all(line.startswith("-- ") for line in header.splitlines())
    for key in ("summary", "columns", "param", "example"):
        assert f"-- {key}: " in header
    for name, _, _ in PARAM.findall(header):
        assert re.search(rf"\b{name}\b", body), name
    example = re.findall(r"^-- example: (.+)$", header, re.MULTILINE)
    assert macros.execute(example[0]).fetchall()[0][0] is not None
