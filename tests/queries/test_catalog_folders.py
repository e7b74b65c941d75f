"""A database that gets only some folders gets what can live there."""

import duckdb

from queries.catalog import Catalog


def test_macros_over_views_are_left_out_where_there_are_no_views() -> None:
    catalog = Catalog()
    with duckdb.connect() as connection:
        catalog.define(connection, temporary=False, folders=("reference", "macros"))
        found = connection.execute(
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal"
        ).fetchall()
    made = {row[0] for row in found}
    assert {"judge", "series_summary", "metric_rule_of"} <= made
    assert "is_repeated" not in made
    assert made < catalog.queries["macros"].keys()
