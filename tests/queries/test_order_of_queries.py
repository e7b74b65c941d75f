from dataclasses import dataclass

import duckdb

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
