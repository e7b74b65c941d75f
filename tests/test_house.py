"""The shape of the house: who may import whom, and how large a room may be."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cli import ROOT

PACKAGES = ("atlas", "ledger", "queries", "migrations")
ALLOWED = {
    "atlas": {"atlas", "ledger", "queries"},
    "ledger": {"ledger", "migrations"},
    "queries": {"queries"},
    "migrations": {"migrations"},
}
MODULES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def imported(path: Path) -> Iterator[str]:
    """Top packages that a module imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_dependencies_point_one_way(path: Path) -> None:
    ours = {name for name in imported(path) if name in PACKAGES}
    assert ours <= ALLOWED[path.relative_to(ROOT).parts[0]]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms_are_small(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 300
    assert path.stem not in ("utils", "util", "helpers", "common", "misc")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.end_lineno:
            assert node.end_lineno - node.lineno < 60, node.name


SQL = ("SELECT", "WITH", "INSERT", "CREATE", "DELETE", "UPDATE", "DROP", "FROM")
MAY_HOLD_SQL = (
    "queries/catalog.py",
    "queries/definition.py",
    "queries/order.py",
    "atlas/demo/story.py",
)
"""The catalog, and the demo, which shows what a user types."""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_sql_text_outside_the_catalog(path: Path) -> None:
    if str(path.relative_to(ROOT)) in MAY_HOLD_SQL:
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            assert len(words) < 3 or words[0] not in SQL, node.value
