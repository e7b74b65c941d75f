"""Every query file: complete header, declared columns, unique grain; empty ledgers and odd ones."""

import json
import re
import shlex
from typing import Any

import click
import duckdb
import pytest

from atlas.cli.app import cli
from atlas.cli.state import State
from atlas.compare.judge import ask_macros
from ledger.audit import audit_facts
from ledger.reader import Reader, Result
from ledger.statements import statement
from queries.catalog import Catalog
from queries.definition import Query

CATALOG = Catalog()
EVERY = [query for folder in CATALOG.queries.values() for query in folder.values()]
MACROS = [query for query in EVERY if query.folder == "macros"]
CALLS = [query for query in EVERY if query.folder == "calls"]
RELATIONS = [query for query in EVERY if query.folder not in ("macros", "calls")]


def name_of(query: Query) -> str:
    return f"{query.folder}/{query.name}"


def arguments(query: Query, ids: dict[str, str]) -> dict[str, Any]:
    """What a relation is asked with: something the sample has, where it needs an id."""
    sides = [{"side": side, "id": ids[side], "pair": "p"} for side in ("a", "b")]
    return {
        "views/compared": {"members": json.dumps(sides)},
        "views/consequences": {"id": ids["run"]},
        "views/decidable": {"id": ids["row"]},
        "views/files_of_host": {"host": "kaveri"},
        "views/fit_header": {"row_id": ids["profiled"]},
        "views/hot_of_row": {"row_id": ids["profiled"]},
        "views/ids_like": {"prefix": ids["row"][:6]},
        "views/image_texts": {"event_id": ids["manifest"]},
        "views/known_objects": {"md5s": [ids["object_md5"]]},
        "views/newest_events": {"kind": "task"},
        "views/objects_of_kernel": {"row_id": ids["profiled"], "kernel": "gemv_int4"},
        "views/ops_of": {"kernels": ["gemv_q8_0", "rmsnorm_f32"]},
        "views/output_of": {"id": ids["event"]},
        "views/parse_inputs": {"older_than": 3},
        "views/places_of_kernel": {"row_id": ids["profiled"], "kernel": "gemv_int4"},
        "views/sample_ids": {"ids": [ids["a"], ids["b"]]},
        "views/task_baselines_of": {"task_id": ids["task"], "host": ids["host"]},
        "views/task_kernels": {"row_id": ids["profiled"], "hot_limit": 8},
        "views/task_row": {"row_id": ids["profiled"]},
        "views/tasks_like": {"prefix": ids["task"][:5]},
        "views/unfinished_runs": {"contract": ids["contract"]},
        "views/whole_event": {"id": ids["event"]},
    }.get(name_of(query), {})


def asked(reader: Reader, query: Query, ids: dict[str, str]) -> Result:
    """The answer of a relation; the staging relation under its own name."""
    if query.folder == "facts":
        reader.connection.execute(statement("stage_all"))
        reader.connection.execute(CATALOG.parse)
    given = arguments(query, ids)
    return reader.ask(CATALOG.call(query, given), given or ())


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
    if query.folder in ("shortcuts", "macros", "calls"):
        assert header.examples


@pytest.mark.parametrize("query", EVERY, ids=name_of)
def test_every_parameter_is_used(query: Query) -> None:
    mark = "" if query.folder == "macros" else r"\$"
    body = re.sub(r"--.*", "", query.text)
    for param in query.header.params:
        assert re.search(rf"{mark}\b{param.name}\b", body), param.name
    used = set(re.findall(r"\$([a-z_]+)", query.sql))
    known = {param.name for param in query.header.params} if query.folder == "calls" else set()
    assert used == known, "a parameter that is not declared"


@pytest.mark.parametrize("query", RELATIONS, ids=name_of)
def test_every_parameter_that_has_to_be_given_is(query: Query, ids: dict[str, str]) -> None:
    needed = {param.name for param in query.header.params if param.default is None}
    given = set(arguments(query, ids))
    assert needed <= given <= {param.name for param in query.header.params}


TELLING = {"views/ledger_health", "views/ops_of"}
"""Views that tell something of an empty ledger too: counts, and what names alone say."""


@pytest.mark.parametrize("query", RELATIONS, ids=name_of)
def test_an_empty_ledger_has_the_declared_columns_and_nothing_in_them(
    empty: Reader, ids: dict[str, str], query: Query
) -> None:
    found = asked(empty, query, ids)
    assert list(found.columns) == [name for name, _ in query.header.columns]
    assert not found.rows or query.folder == "reference" or name_of(query) in TELLING


UNSEEN = {"views/observed_files"}
"""Views that stay empty until somebody looks at the host."""


@pytest.mark.parametrize("query", RELATIONS, ids=name_of)
def test_its_grain_is_unique_over_something(
    sample: Reader, ids: dict[str, str], query: Query
) -> None:
    """A grain that is unique over nothing proves nothing; audits find nothing in a sound ledger."""
    found = asked(sample, query, ids)
    assert list(found.columns) == [name for name, _ in query.header.columns]
    assert found.rows or query.folder == "audits" or name_of(query) in UNSEEN
    key = [found.columns.index(name) for name in query.header.grain]
    keys = [repr([row[place] for place in key]) for row in found.rows]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("query", CALLS, ids=name_of)
def test_a_call_tells_one_row_a_place_over_macros_alone(query: Query) -> None:
    """As `ask_macros` runs it: no ledger is there, arguments are bound by their names."""
    (given,) = map(json.loads, query.header.examples)
    assert [param.name for param in query.header.params] == list(given)
    assert all(param.default is None for param in query.header.params)
    found = ask_macros(query.name, **given)
    if query.header.grain == ("position",):
        (values,) = given.values()
        assert [row[0] for row in found] == list(range(1, len(values) + 1))
    else:
        assert len(found) == 1
    assert all(value is not None for row in found for value in row)


@pytest.mark.parametrize("query", CALLS, ids=name_of)
def test_columns_of_a_call_are_the_declared_ones(
    macros: duckdb.DuckDBPyConnection, query: Query
) -> None:
    (given,) = map(json.loads, query.header.examples)
    told = macros.execute(query.sql, {name: json.dumps(value) for name, value in given.items()})
    assert [column[0] for column in told.description] == [name for name, _ in query.header.columns]
    told.fetchall()


@pytest.mark.parametrize("query", CALLS, ids=name_of)
def test_a_call_over_nothing_says_nothing(query: Query) -> None:
    found = ask_macros(query.name, **{param.name: [] for param in query.header.params})
    assert len(found) == (0 if query.header.grain == ("position",) else 1)


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
