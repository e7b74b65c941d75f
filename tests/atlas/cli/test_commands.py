"""Every command: its help, its errors, its formats; and what start-up may import."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator

import click
import pyarrow.parquet as pq
import pytest
from support.cli import ROOT, Host

from atlas.cli.app import COMMANDS, cli
from atlas.cli.state import State
from atlas.where import FILE, FOLDER, find_ledger


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand with its full name."""
    root = click.Context(cli, info_name="atlas", obj=State())
    for name in COMMANDS:
        command = cli.get_command(root, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            context = click.Context(command, info_name=name, parent=root)
            for below in command.list_commands(context):
                one = command.get_command(context, below)
                assert one is not None
                yield f"{name} {below}", one


ALL = dict(commands())


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_help_with_an_example(name: str) -> None:
    help_text = ALL[name].help or ""
    assert "Example:" in help_text
    assert f"atlas {name.split(maxsplit=1)[0]}" in help_text.split("Example:")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_short_help_stands_in_the_table(name: str) -> None:
    assert COMMANDS[name][1].endswith(".")
    assert len(COMMANDS[name][1]) < 75


@pytest.mark.parametrize("name", ALL)
def test_help_documents_every_option(name: str) -> None:
    for param in ALL[name].params:
        if isinstance(param, click.Option):
            assert param.help or param.name in ("bench", "demo"), param.name


@pytest.mark.parametrize("words", ["--help", "query --help", "collect-ar --help", "--version"])
def test_help_imports_nothing_heavy(words: str) -> None:
    code = (
        "import sys; from atlas.cli.boundary import run; run(sys.argv[1:]);"
        "heavy = {'duckdb', 'pyarrow', 'rich', 'pydantic', 'numpy'} & set(sys.modules);"
        "print(heavy, file=sys.stderr); sys.exit(bool(heavy))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.fixture
def filled(host: Host) -> Host:
    """A ledger with two collected runs."""
    host.collect("--prefill", "32", "--runs", "2", "--profile-decode")
    return host


def test_json_is_an_array_of_objects(filled: Host) -> None:
    rows = filled.json("query", "rows")
    assert {row["phase"] for row in rows} == {"prefill", "decode_ar"}
    assert rows[0]["captured"].endswith("Z")


def test_every_format_tells_the_same(filled: Host) -> None:
    want = [row["row_id"] for row in filled.json("query", "rows")]
    jsonl = filled.atlas("query", "rows", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["row_id"] for line in jsonl] == want
    text = filled.atlas("query", "rows", "--format", "csv").stdout
    assert [row["row_id"] for row in csv.DictReader(io.StringIO(text))] == want
    markdown = filled.atlas("query", "rows", "--format", "markdown").stdout.splitlines()
    assert [line.split("|")[1].strip() for line in markdown[2:]] == want
    table = filled.atlas("query", "rows").stdout
    assert [line.split()[0] for line in table.splitlines()[2:-1]] == want
    done = subprocess.run(
        filled.command("query", "rows", "--format", "parquet"),
        cwd=filled.folder, env=filled.env, capture_output=True, check=True,
    )  # fmt: skip
    assert pq.read_table(io.BytesIO(done.stdout)).column("row_id").to_pylist() == want


def test_tables_are_plain_where_no_terminal_is(filled: Host) -> None:
    assert "\x1b" not in filled.atlas("query", "rows", FORCE_COLOR="1").stdout


def test_query_without_a_name_lists_the_shortcuts(host: Host) -> None:
    listed = host.json("query")
    names = {row["query"] for row in listed}
    assert {
        "rows", "latest", "errors", "hot-kernels", "missing-identity", "blindspots",
        "noise-floor", "same-binary",
    } <= names  # fmt: skip
    assert all(row["what it answers"] for row in listed)


def test_a_shortcut_shows_its_statement(host: Host) -> None:
    done = host.atlas("query", "latest", "--show-sql")
    assert "-- summary:" in done.stdout
    assert "FROM row_heads" in done.stdout


def test_options_of_a_shortcut_are_bound_not_pasted(filled: Host) -> None:
    assert filled.json("query", "rows", "--arch", "x' OR 'a'='a") == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("qeury",), 2, "did you mean `atlas query`?"),
        (("query", "nothing"), 2, "No such command 'nothing'"),
        (("query", "rows", "--limit", "x"), 2, "'x' is not a valid integer"),
        (("collect-ar",), 2, "Missing option '--model'"),
        (("collect-ar", "--model", "m", "--env", "A"), 2, "'A' is not NAME=VALUE"),
        (("show", "0000"), 2, "no event or row starts with '0000'"),
        (("sql", "SELEC 1"), 2, "Parser Error"),
        (("sql", "DROP TABLE events"), 2, "DROP is refused"),
        (("ingest",), 2, "Missing argument"),
    ],
)
def test_mistakes_are_one_line_with_an_exit_code(
    filled: Host, words: tuple[str, ...], code: int, said: str
) -> None:
    done = filled.atlas(*words)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.startswith("atlas: ")
    assert len(done.stderr.splitlines()) == 1


def test_errors_are_json_when_json_is_asked_for(host: Host) -> None:
    done = host.atlas("query", "rows", "--format", "json")
    assert done.returncode == 3
    told = json.loads(done.stderr)
    assert told == {
        "ok": False,
        "code": "ledger_missing",
        "error": f"no ledger at {host.ledger}",
        "hint": "record something, or run `atlas init`",
    }
    assert done.stdout == ""


def test_a_defect_is_one_line_too(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("x")

    monkeypatch.setattr("atlas.cli.state.State.ledger", fail)
    done = host.atlas("log")
    assert done.returncode == 3
    assert "ZeroDivisionError: x" in done.stderr
    with pytest.raises(ZeroDivisionError):
        host.atlas("log", ATLAS_DEBUG="1")


def test_escapes_in_names_never_reach_the_terminal(host: Host) -> None:
    log = host.folder / "a\x1b[31mred.log"
    log.write_text("no measurement\n")
    for words in (("ingest", str(log)), ("log",), ("sql", "FROM recording")):
        done = host.atlas(*words)
        assert "\x1b" not in done.stdout + done.stderr
    assert "\\x1b[31mred" in host.atlas("log").stdout


def test_show_takes_rows_and_events_and_names_candidates(filled: Host) -> None:
    row = filled.json("query", "rows")[0]
    shown = filled.json("show", row["row_id"][:10])
    entry = shown["payload"]["rows"][shown["ordinal"]]
    assert entry["row_id"] == row["row_id"]
    assert filled.json("show", shown["event_id"])["hash"] == shown["hash"]
    assert "payload_sha256" in filled.atlas("show", row["row_id"]).stdout
    ambiguous = filled.atlas("show", "")
    assert ambiguous.returncode == 2
    assert "is ambiguous" in ambiguous.stderr


def test_log_is_newest_first(filled: Host) -> None:
    log = filled.json("log")
    assert [event["kind"] for event in log] == ["collection", "collection"]
    assert log[0]["recorded"] > log[1]["recorded"]
    assert filled.json("log", "--kind", "ingest") == []


def test_audit_names_the_event_of_which_one_byte_was_changed(filled: Host) -> None:
    import duckdb

    assert filled.atlas("audit", "chain").stdout.startswith("chain: clean")
    with duckdb.connect(str(filled.ledger)) as connection:
        connection.execute(
            "UPDATE events SET payload = replace(payload, 'gfx1100', 'gfx1101') WHERE seq = 1"
        )
        changed = connection.execute("SELECT event_id FROM events WHERE seq = 1").fetchall()[0][0]
    done = filled.atlas("audit", "chain", "--format", "json")
    assert done.returncode == 1
    assert [(one["fault"], one["event_id"]) for one in json.loads(done.stdout)] == [
        ("altered payload", changed)
    ]
    assert filled.atlas("audit", "chain", "--fast").returncode == 0
    assert "can't show a cut-off end" in filled.atlas("audit", "chain").stderr


def test_rebuild_gives_the_same(filled: Host) -> None:
    before = filled.sql("FROM rows ORDER BY row_id")
    assert filled.atlas("rebuild").returncode == 0
    assert filled.sql("FROM rows ORDER BY row_id") == before
    assert filled.atlas("audit", "facts").stdout == "facts: clean\n"


def test_init_makes_a_ledger_and_again_is_harmless(host: Host) -> None:
    path = host.folder / "x" / "l.duckdb"
    first, second = host.atlas("init", str(path)), host.atlas("init", str(path))
    assert first.stdout == second.stdout
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_doctor_tells_what_is_there_and_what_to_do(filled: Host) -> None:
    checks = {check["check"]: check for check in filled.json("doctor")}
    assert checks["ledger"]["state"] == "ok"
    assert "2 events, 4 rows" in checks["ledger"]["found"]
    assert checks["GPU"]["advice"]
    (filled.folder / "atlas.duckdb.outbox" / "x.ndjson").write_text("garbage\n")
    done = filled.atlas("doctor")
    assert done.returncode == 1
    assert "damaged" in done.stdout


def test_a_file_that_is_no_ledger_is_exit_3(host: Host) -> None:
    host.ledger.write_text("not a database, but long enough to be looked at " * 100)
    done = host.atlas("query", "rows")
    assert done.returncode == 3
    assert "can't be opened as a ledger" in done.stderr


def test_the_ledger_is_found_by_option_environment_or_walking_up(host: Host) -> None:
    root = host.folder
    deep = root / "a" / "b"
    deep.mkdir(parents=True)
    assert find_ledger(root / "x", {"ATLAS_LEDGER": "/y"}, deep) == root / "x"
    assert str(find_ledger(None, {"ATLAS_LEDGER": "/y"}, deep)) == "/y"
    (root / ".git").mkdir()
    assert find_ledger(None, {}, deep) == root / FOLDER / FILE
    existing = root / "a" / FOLDER / FILE
    existing.parent.mkdir(parents=True)
    existing.touch()
    assert find_ledger(None, {}, deep) == existing


def test_the_first_recording_makes_a_private_ignored_folder(host: Host) -> None:
    model = host.folder / "m"
    model.touch()
    env = {"ATLAS_LEDGER": ""}
    done = host.atlas(*host.collect_words("--prefill", "32"), **host.collect_env(), **env)
    assert done.returncode == 0, done.stderr
    folder = host.folder / FOLDER
    assert (folder / ".gitignore").read_text() == "*\n"
    assert folder.stat().st_mode & 0o777 == 0o700
