"""The fit view as people see it, from files and from a ledger."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from atlas.cli.app import cli
from atlas.cli.boundary import run

DATA = Path(__file__).parents[2] / "data" / "fit"
ROWS = DATA / "rows.jsonl"
PARTS = [
    *("ISA scope", "Hot kernels", "Lanes", "Resources", "Quant intent", "Runtime metrics"),
    *("Fit read", "Provenance", "Evidence"),
]


def shown(*words: str, code: int = 0) -> str:
    made = CliRunner().invoke(cli, list(words))
    assert made.exit_code == code, made.output
    return made.stdout


def from_file(*words: str) -> str:
    return shown("render-fit", "--row", str(ROWS), *words)


@pytest.mark.parametrize("width", [80, 120])
def test_the_ascii_view_is_the_golden_one(width: int) -> None:
    text = from_file("--width", str(width))
    known = text
    for name in ("ISA manifest", "dispatch manifest"):
        start = known.index(f"  {name}: ") + len(name) + 4
        known = known[:start] + "EVENT" + known[start + 32 :]
    assert known == (DATA / f"golden-{width}.txt").read_text()
    assert max(map(len, text.splitlines())) == width
    assert text.isascii()


def test_parts_stand_in_their_order_in_every_form() -> None:
    for form, mark in (("ascii", "\n"), ("markdown", "## "), ("html", "<h2>")):
        text = from_file("--format", form)
        places = [text.index(mark + title) for title in PARTS]
        assert places == sorted(places)
        assert "measured evidence, not promotion proof" in text


def test_html_is_self_contained_and_escapes(tmp_path: Path) -> None:
    row = json.loads(ROWS.read_text().splitlines()[1])
    row["workload"] = "<script>alert(1)</script>\x1b[31m"
    (tmp_path / "r.json").write_text(json.dumps(row))
    page = shown("render-fit", "--row", str(tmp_path / "r.json"), "--format", "html")
    assert "<script" not in page
    assert "\x1b" not in page
    assert "http" not in page
    assert "<svg" in from_file("--format", "html")
    assert "\x1b" not in shown("render-fit", "--row", str(tmp_path / "r.json"))


def test_a_file_gives_what_the_ledger_gives(tmp_path: Path) -> None:
    ledger = ["--ledger", str(tmp_path / "l.duckdb")]
    shown(*ledger, "ingest", str(ROWS))
    for index, choice in ((0, "phase=decode_ar"), (1, "phase=prefill")):
        stored = json.loads(shown(*ledger, "render-fit", choice, "--format", "json"))
        read = json.loads(from_file("--row-index", str(index), "--format", "json"))
        assert without_events(stored) == without_events(read)
    assert (
        json.loads(from_file("--row-index", "-1", "--format", "json"))["fit"]["phase"] == "prefill"
    )


def without_events(document: dict[str, Any]) -> dict[str, Any]:
    """Event ids tell when something was recorded, so they differ."""
    for part, name in (("row", "event_id"), ("fit", "manifest_event"), ("fit", "dispatch_event")):
        document[part][name] = bool(document[part][name])
    return document


def test_given_files_serve_a_row_that_names_none() -> None:
    words = ("--row-index", "1", "--format", "json")
    bare = json.loads(from_file(*words))["fit"]
    given = json.loads(from_file(*words, "--isa", str(DATA / "isa.json")))["fit"]
    assert bare["scope"] == "none"
    assert (given["scope"], given["found_by"]) == ("all-inspected", "given file")
    assert given["in_scope"] == 3


def test_a_row_of_its_own_outranks_a_given_file(tmp_path: Path) -> None:
    other = json.loads((DATA / "isa.json").read_text())
    other["objects"] = other["objects"][:1]
    (tmp_path / "other.json").write_text(json.dumps(other))
    fit = json.loads(from_file("--isa", str(tmp_path / "other.json"), "--format", "json"))["fit"]
    assert (fit["found_by"], fit["objects"]) == ("manifest", 3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--row", str(ROWS), "--row-index", "2"], "has 2 rows"),
        (["--row", str(DATA / "absent.jsonl")], "absent.jsonl"),
        (["--row", str(ROWS), "--isa", str(DATA / "dispatch.json")], "no isa manifest"),
        (["--row", str(ROWS), "--dispatch", str(ROWS)], "broken at byte"),
        (["latest", "--row", str(ROWS)], "name one of them"),
        (["--isa", str(DATA / "isa.json")], "go with --row"),
    ],
)
def test_what_does_not_fit_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["--ledger", str(tmp_path / "l.duckdb"), "render-fit", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_manifest_that_is_not_the_one_named_does_not_count(tmp_path: Path) -> None:
    for name in ("rows.jsonl", "dispatch.json"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    changed = (DATA / "isa.json").read_text().replace('"matrix": 96', '"matrix": 97')
    (tmp_path / "isa.json").write_text(changed)
    words = ("render-fit", "--row", str(tmp_path / "rows.jsonl"), "--format", "json")
    fit = json.loads(shown(*words))["fit"]
    assert fit["scope"] == "none"
    assert fit["dispatch_event"]
    assert "ingest the manifest" in fit["collect"]
