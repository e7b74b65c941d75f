from dataclasses import dataclass

import duckdb

from queries.catalog import Catalog
from queries.order import in_order, names_used


@dataclass(frozen=True)
class File:
    name: str
    sql: str

    @property
    def signature(self) -> str:
        return self.name


def test_a_common_table_expression_hides_a_relation_of_its_name() -> None:
    rows = File("rows", "WITH Series AS (SELECT 1 AS x) SELECT * FROM series JOIN other USING (x)")
    series = File("series", "SELECT * FROM rows")
    with duckdb.connect() as con:
        assert names_used(con, rows) == {"other"}
        assert [one.name for one in in_order(con, [series, rows])] == ["rows", "series"]


def test_macros_that_read_a_ledger_are_left_out_of_a_database_without_one() -> None:
    with duckdb.connect() as con:
        Catalog().define(con, temporary=False, folders=("reference", "macros"))
        made = {
            row[0] for row in con.execute("SELECT function_name FROM duckdb_functions()").fetchall()
        }
    assert "judge" in made
    assert "is_repeated" not in made
