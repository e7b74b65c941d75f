"""The catalog: headers that are read or refused by file and line, and the order of definition."""

import shutil
from pathlib import Path

import duckdb
import pytest
from support.toy import CATALOG_FOLDER

from queries.catalog import Catalog
from queries.definition import Query, quoted
from queries.header import HeaderError, Param, read_header
from queries.order import OrderError, in_order, names_used

GOOD = """-- summary: What one row means,
--          in two lines.
-- grain: event_id,
--        ordinal
-- columns: event_id  the event
--          ordinal   its place
-- note: not shown
-- param: arch VARCHAR = NULL  only this arch
-- param: name VARCHAR = 'it''s = that'  a text
-- param: many DOUBLE[]  a list, required
-- example: atlas query x --arch gfx1151
SELECT 1;
"""


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def test_a_header_is_read() -> None:
    header, sql = read_header(GOOD, "x.sql")
    assert sql == "SELECT 1"
    assert header.summary == "What one row means, in two lines."
    assert header.grain == ("event_id", "ordinal")
    assert header.columns == (("event_id", "the event"), ("ordinal", "its place"))
    assert header.params == (
        Param("arch", "VARCHAR", "NULL", "only this arch"),
        Param("name", "VARCHAR", "'it''s = that'", "a text"),
        Param("many", "DOUBLE[]", None, "a list, required"),
    )
    assert header.examples == ("atlas query x --arch gfx1151",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("SELECT 1", 1),
        ("-- summary: nothing follows\n", 1),
        ("-- grain: a\nSELECT 1", 1),
        ("-- what is this\nSELECT 1", 1),
        ("-- summary: x\n-- exmple: atlas query x\nSELECT 1", 2),
        ("-- summary: x\n-- columns: a  b\n-- parameter: x\nSELECT 1", 3),
        ("-- summary: x\n-- param: Arch VARCHAR\nSELECT 1", 2),
        ("-- summary: x\n-- param: arch\nSELECT 1", 2),
        ("-- summary: x\n-- param: a INTEGER\n-- param: arch varchar = 1  x\nSELECT 1", 3),
    ],
)
def test_a_wrong_header_is_told_with_file_and_line(text: str, line: int) -> None:
    with pytest.raises(HeaderError, match=rf"^queries/views/odd\.sql:{line}: "):
        Query("odd", "views", text).header  # noqa: B018 - reading it is the test


def query(name: str, sql: str, folder: str = "views") -> Query:
    return Query(name, folder, f"-- summary: x\n{sql}\n")


def test_what_a_file_uses_comes_before_it(con: duckdb.DuckDBPyConnection) -> None:
    queries = [
        query("a", "SELECT * FROM b JOIN C USING (x) WHERE EXISTS (SELECT 1 FROM d)"),
        query("b", "WITH c AS (SELECT 1 AS x) SELECT m(x) AS x FROM c"),
        query("c", "SELECT x FROM t()", "views"),
        query("d", "SELECT x FROM (VALUES (1)) AS a (x)"),
        query("t", "SELECT 1 AS x", "shortcuts"),
        Query("m", "macros", "-- summary: x\n-- param: x INTEGER\nSELECT x + 1\n"),
    ]
    order = [one.name for one in in_order(con, queries)]
    assert sorted(order) == ["a", "b", "c", "d", "m", "t"]
    assert order.index("a") > max(order.index(name) for name in "bcd")
    assert order.index("c") > order.index("t")
    assert order.index("b") > order.index("m")


def test_names_in_texts_and_columns_are_no_dependencies(con: duckdb.DuckDBPyConnection) -> None:
    used = names_used(con, query("x", "SELECT b AS c, 'FROM d' AS e FROM a -- FROM f"))
    assert used == {"a"}


def test_a_relation_and_a_macro_may_share_a_name(con: duckdb.DuckDBPyConnection) -> None:
    rows = Query("rows", "shortcuts", "-- summary: x\nSELECT * FROM rows\n")
    view = query("rows", "SELECT 1 AS x")
    assert [one.folder for one in in_order(con, [rows, view])] == ["views", "shortcuts"]


def test_a_circle_is_an_error_that_names_it(con: duckdb.DuckDBPyConnection) -> None:
    circle = [
        query("a", "FROM b"),
        query("b", "FROM c"),
        query("c", "FROM a"),
        query("d", "FROM a"),
    ]
    with pytest.raises(OrderError, match="in a circle") as told:
        in_order(con, circle)
    assert all(f"'{name}'" in str(told.value) for name in "abc")
    assert "'d'" not in str(told.value)


@pytest.mark.parametrize(
    "sql", ["PIVOT t ON x USING sum(y)", "SELEC 1", "INSERT INTO a VALUES (1)", "DROP TABLE a"]
)
def test_what_is_no_select_is_an_error_that_names_the_file(
    con: duckdb.DuckDBPyConnection, sql: str
) -> None:
    with pytest.raises(OrderError, match=r"^odd\.sql: "):
        in_order(con, [query("odd", sql)])


def test_the_project_s_files_are_in_order(con: duckdb.DuckDBPyConnection) -> None:
    catalog = Catalog()
    queries = [
        query for folder in ("macros", "views") for query in catalog.queries[folder].values()
    ]
    order = [one.signature for one in in_order(con, queries)]
    assert len(order) == len(queries)
    for one in queries:
        for used in names_used(con, one) & set(order) - {one.signature}:
            assert order.index(used) < order.index(one.signature)


def test_digests_change_with_what_they_are_of(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(CATALOG_FOLDER, tmp_path / "catalog"))
    before = Catalog(folder)
    digests = {fact.name: fact.digest for fact in before.facts}
    (folder / "views" / "big.sql").write_text(GOOD)
    assert Catalog(folder).digest != before.digest
    assert {fact.name: fact.digest for fact in Catalog(folder).facts} == digests
    thing = folder / "facts" / "thing.sql"
    thing.write_text(thing.read_text() + "-- more\n")
    changed = {fact.name: fact.digest for fact in Catalog(folder).facts}
    assert changed["thing"] != digests["thing"]
    assert changed["paint"] == digests["paint"]
    parsed = folder / "facts" / "_parsed.sql"
    parsed.write_text(parsed.read_text() + "-- more\n")
    assert all(fact.digest != changed[fact.name] for fact in Catalog(folder).facts)
    digest = Catalog(folder).digest
    (folder / "reference" / "factor.csv").write_text("1\n")
    assert Catalog(folder).digest != digest


@pytest.mark.parametrize("name", ["plain", 'a"b', "a b; DROP TABLE x", "ü", "'"])
def test_a_quoted_name_is_one_name(con: duckdb.DuckDBPyConnection, name: str) -> None:
    con.execute(f"CREATE TABLE {quoted(name)} AS SELECT 1 AS x")
    assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [(name,)]


def test_parameters_are_bound_by_name_and_type() -> None:
    catalog = Catalog(CATALOG_FOLDER)
    things = catalog.find("shortcuts", "things")
    assert things is not None
    assert catalog.call(things) == 'FROM "things"()'
    assert catalog.call(things, ["least"]) == ('FROM "things"(_least := CAST($least AS INTEGER))')
    assert catalog.find("shortcuts", "no-such") is None


def test_definitions_carry_their_summaries(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE thing AS SELECT 'e' AS event_id, 20 AS size")
    Catalog(CATALOG_FOLDER).define(con, temporary=False)
    assert con.execute("SELECT size FROM big").fetchall() == [(20,)]
    comments = con.execute(
        "SELECT comment FROM duckdb_views() WHERE view_name = 'big' UNION ALL"
        " SELECT comment FROM duckdb_functions() WHERE function_name = 'things'"
    ).fetchall()
    assert comments == [
        ("Things above a size; defined after size_of, which it uses.",),
        ("Things, biggest first.",),
    ]
