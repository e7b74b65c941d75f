"""What the command line says of ledgers that are not as they should be."""

import pytest
from support.cli import Host
from support.toy import plainly

REFUSED = [
    "COPY events TO 'x.csv'",
    "WITH x AS (INSERT INTO events FROM events RETURNING 1) FROM x",
    "ATTACH 'x.duckdb'",
    "FROM read_text('/etc/hostname')",
    "LOAD httpfs",
    "SET memory_limit = '1TB'",
    "SELECT 1; SELECT 2",
    "FROM nowhere",
    "SELECT '\udcff'",
]


@pytest.fixture
def recorded(host: Host) -> Host:
    assert host.collect("--prefill", "32", "--runs", "1").returncode == 0
    return host


@pytest.mark.parametrize("statement", REFUSED)
def test_a_statement_that_does_not_only_read(recorded: Host, statement: str) -> None:
    done = recorded.atlas("sql", statement)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("atlas: ")
    assert not (recorded.folder / "x.csv").exists()


def test_a_ledger_of_a_newer_schema(recorded: Host) -> None:
    with plainly(recorded.ledger) as con:
        con.execute("INSERT INTO schema_migrations VALUES (99, 'later', 'x', 0)")
    for words in (("query", "rows"), ("audit", "chain"), ("log",), ("rebuild",)):
        done = recorded.atlas(*words)
        assert done.returncode == 3
        assert done.stderr.startswith("atlas: the ledger has schema 99, this version knows ")
        assert len(done.stderr.splitlines()) == 1


def test_a_damaged_batch_is_told_by_every_command_until_it_is_gone(recorded: Host) -> None:
    outbox = recorded.folder / "atlas.duckdb.outbox"
    (outbox / "0000-x.ndjson").write_text("no batch")
    for words in (("query", "rows"), ("log",), ("sql", "SELECT 1"), ("audit", "chain")):
        done = recorded.atlas(*words)
        assert done.returncode == 0
        assert "1 damaged outbox file" in done.stderr
    (outbox / "bad" / "0000-x.ndjson").unlink()
    assert recorded.atlas("log").stderr == ""


def test_one_changed_byte_is_named_and_ends_with_1(recorded: Host) -> None:
    assert recorded.atlas("audit", "chain").returncode == 0
    with plainly(recorded.ledger) as con:
        event_id = con.execute("SELECT event_id FROM events LIMIT 1").fetchall()[0][0]
        con.execute("UPDATE events SET payload = replace(payload, '776', '777')")
    done = recorded.atlas("audit", "chain", "--format", "json")
    assert done.returncode == 1
    assert event_id in done.stdout
    assert "altered payload" in done.stdout


def test_a_document_nested_beyond_reason_stops_no_other(host: Host) -> None:
    deep = host.folder / "a-deep.json"
    deep.write_text('{"schema_version": ' + "[" * 300 + "]" * 300 + "}")
    good = host.folder / "b-good.json"
    good.write_text('{"just": "a document"}')
    done = host.atlas("ingest", str(deep), str(good))
    assert done.returncode == 2
    assert "nested too deeply" in done.stderr
    assert host.sql("SELECT count(*) AS n FROM events") == [{"n": 1}]
