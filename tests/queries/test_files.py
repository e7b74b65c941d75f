"""Every query file: complete header, declared columns, unique grain; empty ledgers and odd ones."""

import re
import shlex
from typing import Any

import click
import pytest

from atlas.cli.app import cli
from atlas.cli.state import State
from ledger.audit import audit_facts
from ledger.reader import Reader
from ledger.statements import statement
from queries.catalog import Catalog, Query

CATALOG = Catalog()
EVERY = [query for folder in CATALOG.queries.values() for query in folder.values()]
RELATIONS = [query for query in EVERY if query.folder != "macros"]
MACROS = [query for query in EVERY if query.folder == "macros"]
GIVEN: dict[str, Any] = {"VARCHAR": "", "INTEGER": 1, "BIGINT": 1, "DOUBLE": 1.0, "BOOLEAN": True}


def name_of(query: Query) -> str:
    return f"{query.folder}/{query.name}"


def required(query: Query) -> dict[str, Any]:
    return {
        param.name: GIVEN.get(param.type) for param in query.header.params if param.default is None
    }


def asked(query: Query) -> str:
    """The query as something to select from, the staging relation under its own name."""
    return CATALOG.call(query, required(query))


def stage(reader: Reader) -> None:
    reader.connection.execute(statement("stage_all"))
    reader.connection.execute(CATALOG.parse)


def described(reader: Reader, query: Query) -> list[str]:
    stage(reader)
    given = required(query)
    return list(reader.ask(f"{asked(query)} LIMIT 0", given or ()).columns)


@pytest.mark.parametrize("query", EVERY, ids=name_of)
def test_the_header_is_complete(query: Query) -> None:
    header = query.header
    assert header.summary
    assert header.columns
    assert all(name and meaning for name, meaning in header.columns)
    assert all(param.help for param in header.params)
    names = [name for name, _ in header.columns]
    assert len(names) == len(set(names))
    if query.folder != "macros":
        assert header.grain
        assert set(header.grain) <= set(names)
    if query.folder in ("shortcuts", "macros"):
        assert header.examples


@pytest.mark.parametrize("query", EVERY, ids=name_of)
def test_every_parameter_is_used(query: Query) -> None:
    mark = "" if query.folder == "macros" else r"\$"
    body = re.sub(r"--.*", "", query.text)
    for param in query.header.params:
        assert re.search(rf"{mark}\b{param.name}\b", body), param.name
    assert not re.search(r"\$[a-z_]", query.sql), "a parameter that is not declared"


@pytest.mark.parametrize("query", RELATIONS, ids=name_of)
def test_columns_are_the_declared_ones_on_an_empty_ledger(empty: Reader, query: Query) -> None:
    assert described(empty, query) == [name for name, _ in query.header.columns]


@pytest.mark.parametrize("query", RELATIONS, ids=name_of)
def test_it_runs_on_an_empty_ledger(empty: Reader, query: Query) -> None:
    stage(empty)
    found = empty.ask(asked(query), required(query) or ()).rows
    assert query.folder == "reference" or len(found) <= 1


@pytest.mark.parametrize("query", RELATIONS, ids=name_of)
def test_its_grain_is_unique(sample: Reader, query: Query) -> None:
    stage(sample)
    key = ", ".join(f'"{name}"' for name in query.header.grain)
    twice = sample.ask(
        f"SELECT {key}, count(*) FROM ({asked(query)}) GROUP BY ALL HAVING count(*) > 1",
        required(query) or (),
    )
    assert twice.rows == []


SMALL = {
    *("views/parse_inputs", "views/output_of", "views/whole_event", "views/repeated_places"),
    *("views/observed_files", "views/files_of_host"),
}
"""Relations that need an id or a look at a host to have rows, or an event in two branches."""


@pytest.mark.parametrize("query", [q for q in RELATIONS if q.folder != "audits"], ids=name_of)
def test_the_sample_has_something_for_it(sample: Reader, query: Query) -> None:
    """A grain that is unique over nothing proves nothing."""
    stage(sample)
    found = sample.ask(asked(query), required(query) or ()).rows
    assert found or name_of(query) in SMALL


@pytest.mark.parametrize("query", MACROS, ids=name_of)
def test_the_example_of_a_macro_runs_and_gives_the_declared_fields(
    sample: Reader, query: Query
) -> None:
    for example in query.header.examples:
        value = sample.ask_freely(example, seconds=20).rows[0][-1]
        assert value is not None
        if isinstance(value, dict):
            assert list(value) == [name for name, _ in query.header.columns]


EXAMPLES = [
    (query, example)
    for query in RELATIONS
    for example in query.header.examples
    if example.startswith("atlas ")
]


@pytest.mark.parametrize(("query", "example"), EXAMPLES, ids=[e for _, e in EXAMPLES])
def test_an_example_is_a_command_that_exists(query: Query, example: str) -> None:
    words = shlex.split(example)[1:]
    assert words[0] == "query" or query.folder != "shortcuts"
    command: click.Command = cli
    parent: click.Context | None = None
    name = "atlas"
    while True:
        context = command.make_context(name, words, parent=parent, obj=State())
        if not isinstance(command, click.Group):
            break
        rest = [*context._protected_args, *context.args]
        name, found, words = command.resolve_command(context, rest)  # type: ignore[assignment]
        assert found is not None, example
        command, parent = found, context
    assert query.folder != "shortcuts" or name == query.name.replace("_", "-")


def test_facts_of_hostile_rows_are_derived_without_a_failure(sample: Reader) -> None:
    found = audit_facts(sample, CATALOG)
    assert found.rows == []


def test_no_two_files_have_one_name_within_a_kind() -> None:
    signatures = [query.signature for query in EVERY if query.folder != "facts"]
    facts = [fact.name for fact in CATALOG.facts]
    assert len(set(signatures + facts)) == len(signatures + facts)


def test_every_example_of_a_relation_was_seen() -> None:
    shortcuts = CATALOG.queries["shortcuts"]
    assert {query.name for query, _ in EXAMPLES if query.folder == "shortcuts"} == set(shortcuts)
