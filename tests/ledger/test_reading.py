"""What a reader may not do, each refused in one line; and what it may."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.toy import thing, toy_catalog, toy_ledger

from ledger.errors import QueryRefused
from ledger.passing import passing
from ledger.reader import Reader

SECRET = "a secret beside the ledger"

NO_READING = """
INSERT INTO events FROM events
INSERT INTO thing VALUES ('a', 1)
WITH x AS (INSERT INTO thing VALUES ('a', 1) RETURNING *) FROM x
EXPLAIN ANALYZE INSERT INTO thing VALUES ('a', 1)
UPDATE events SET host = 'x'
DELETE FROM events
TRUNCATE events
MERGE INTO thing USING events ON false WHEN NOT MATCHED THEN INSERT VALUES ('a', 1)
DROP TABLE events
DROP VIEW size_of
ALTER TABLE events ADD COLUMN more INTEGER
COMMENT ON TABLE events IS 'x'
CREATE TABLE mine (i INTEGER)
CREATE TEMP TABLE mine (i INTEGER)
CREATE OR REPLACE TEMP VIEW thing AS SELECT 1 AS size
CREATE MACRO m(x) AS x
CREATE SECRET s (TYPE s3)
COPY events TO 'out.csv'
COPY (SELECT 1) TO 'out.csv'
EXPLAIN ANALYZE COPY events TO 'out.csv'
COPY events FROM 'secret.csv'
EXPORT DATABASE 'out'
IMPORT DATABASE 'out'
ATTACH 'other.duckdb'
ATTACH ':memory:' AS m
DETACH toy
USE memory
LOAD httpfs
INSTALL httpfs
FORCE INSTALL httpfs
SET enable_external_access = true
SET memory_limit = '1TB'
SET VARIABLE x = 1
RESET memory_limit
PRAGMA enable_profiling
CALL pragma_version()
CHECKPOINT
VACUUM
ANALYZE
BEGIN
COMMIT
PREPARE p AS SELECT 1
EXECUTE p
SELECT 1; SELECT 2
SELECT 1; DROP TABLE events
;
-- nothing
SELEC 1
SELECT * FROM not_here
SELECT not_here FROM thing
SELECT ?
SELECT $x
""".strip()

NO_FILES = """
SELECT * FROM read_text('secret.csv')
SELECT * FROM read_blob('secret.csv')
FROM read_csv('secret.csv')
FROM read_json('secret.csv')
FROM read_parquet('secret.csv')
FROM read_ndjson_objects('secret.csv')
FROM 'secret.csv'
FROM "secret.csv"
FROM glob('*')
FROM sniff_csv('secret.csv')
FROM parquet_metadata('secret.csv')
FROM read_text('toy.duckdb.outbox/origin')
FROM 'https://example.com/x.csv'
FROM read_csv('s3://bucket/x.csv')
FROM query('COPY events TO ''out.csv''')
SELECT getenv('HOME')
FROM hostage
""".strip()

GOOD = """
SELECT count(*) FROM events
WITH a AS (SELECT 1) FROM a
FROM thing
(SELECT 1)
VALUES (1)
EXPLAIN SELECT 1
DESCRIBE events
SHOW TABLES
SUMMARIZE thing
FROM things(_least := 1)
SELECT 1;
SELECT '; DROP TABLE events; --'
""".strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reading")
    toy_ledger(folder).record([thing(number) for number in range(5)])
    (folder / "secret.csv").write_text(SECRET)
    toy_ledger(folder).drain()
    return folder


@pytest.fixture(scope="module")
def reader(folder: Path) -> Iterator[Reader]:
    home = Path.cwd()
    os.chdir(folder)
    with toy_ledger(folder).reader() as reader:
        yield reader
    os.chdir(home)


def listing(folder: Path) -> list[tuple[str, int]]:
    return sorted((path.name, path.stat().st_size) for path in folder.iterdir())


STATEMENTS = [
    *NO_READING.splitlines(),
    *NO_FILES.splitlines(),
    "",
    " \n ",
    "SELECT error('first line\nsecond line')",
    "SELECT '\udcff'",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_it_is_refused_in_one_line_and_changes_nothing(
    reader: Reader, folder: Path, statement: str
) -> None:
    hostage = [SECRET]
    before = listing(folder)
    with pytest.raises(QueryRefused) as told:
        reader.ask_freely(statement, seconds=5)
    assert "\n" not in f"{told.value}{told.value.hint}"
    assert SECRET not in str(told.value)
    assert told.value.exit_code == 2
    assert told.value.hint
    assert listing(folder) == before
    assert reader.ask("SELECT count(*), sum(size) FROM thing").rows == [(5, 10)]
    assert hostage == [SECRET]


@pytest.mark.parametrize("statement", GOOD.splitlines())
def test_reading_is_allowed(reader: Reader, statement: str) -> None:
    assert reader.ask_freely(statement, seconds=5).rows


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(*) FROM range(1000000000) a, range(1000000000) b",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT sum(n) FROM t",
    ],
)
def test_a_statement_ends_when_its_time_is_over(reader: Reader, statement: str) -> None:
    began = time.monotonic()
    with pytest.raises(QueryRefused, match=r"stopped after 0\.3 s"):
        reader.ask_freely(statement, seconds=0.3)
    assert time.monotonic() - began < 5
    assert reader.ask_freely("SELECT 1", seconds=5).rows == [(1,)]


@pytest.mark.parametrize(
    "value", ["'; DROP TABLE events; --", "$1", "\0", "ü\n'\"", "x' OR '1'='1", "%", "\\"]
)
def test_values_are_bound_never_pasted(reader: Reader, value: str) -> None:
    asked = reader.ask(
        "SELECT $value AS v, count(*) AS n FROM events WHERE host = $value", {"value": value}
    )
    assert asked.rows == [(value, 0)]


def test_a_value_of_another_type_is_refused(reader: Reader) -> None:
    query = toy_catalog().find("shortcuts", "things")
    assert query is not None
    call = toy_catalog().call(query, ["least"])
    assert reader.ask(call, {"least": "3"}).dicts()[0]["size"] == 4
    with pytest.raises(QueryRefused, match="Conversion Error"):
        reader.ask(call, {"least": "3; DROP TABLE events"})


def test_a_value_that_is_no_text_is_refused(reader: Reader) -> None:
    for given in ({"value": "x\udcff"}, ["x\udcff"]):
        with pytest.raises(QueryRefused, match="no UTF-8"):
            reader.ask("SELECT $value" if isinstance(given, dict) else "SELECT ?", given)


def test_columns_types_and_rows_come_together(reader: Reader) -> None:
    result = reader.ask("SELECT 1 AS one, 'x' AS two WHERE false")
    assert (result.columns, result.types, result.rows) == (
        ("one", "two"),
        ("INTEGER", "VARCHAR"),
        [],
    )


def test_a_stream_gives_all_rows(reader: Reader) -> None:
    assert sum(1 for _ in reader.stream("FROM range(5000)")) == 5000


def test_a_passing_ledger_is_locked_too(folder: Path) -> None:
    with passing(toy_catalog(), [thing(7)]) as reader:
        assert reader.ask("SELECT weight FROM size_of").rows == [(70,)]
        for statement in ("COPY events TO 'out.csv'", f"FROM read_text('{folder}/secret.csv')"):
            with pytest.raises(QueryRefused):
                reader.ask_freely(statement, seconds=5)
