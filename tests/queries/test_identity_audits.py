"""Each rule of the audits `identity` and `comparability`, on rows that break just that one."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.sample import entry, imported

from atlas.ask import ask
from ledger.envelope import Draft
from ledger.passing import passing
from ledger.reader import Reader
from queries.catalog import Catalog

GOOD = {"binary_md5": "b" * 32, "git_dirty": False}
MODEL = {"path": "m.mq4", "md5": "a" * 32, "bytes": 5}

BAD: dict[str, dict[str, Any]] = {
    "short": {"model": MODEL | {"md5": "abc123"}},
    "no hex": {"git_sha": "main"},
    "sha1 for md5": {"provenance": GOOD | {"binary_md5": "c" * 40}},
    "misplaced": {"artifacts": {"prompt_md5": "a" * 32}},
    "draft and model": {"artifacts": {"draft_md5": "a" * 32}},
    "clean tree": {"provenance": GOOD | {"diff_md5": "68b329da9893e34099c7d8ad5cb9c940"}},
    "newline sent": {"artifacts": {"prompt_md5": "68b329da9893e34099c7d8ad5cb9c940"}},
    "objects": {"provenance": GOOD | {"code_objects_sha256": "d" * 32}},
}


def rows_of(changes: dict[str, dict[str, Any]], **more: Any) -> list[Draft]:
    """Two runs of each row, so that none lacks a second one."""
    made = []
    for number, (name, change) in enumerate(changes.items()):
        pair = [entry(2 * number + one, **{"workload": name} | change) for one in (0, 1)]
        made.append(imported(number, pair, **more))
    return made


@pytest.fixture(scope="module")
def audited() -> Iterator[Reader]:
    conflict = entry(500)
    conflict |= {"status": "quarantined", "why": ["architecture in conflict: a gfx1, b gfx2"]}
    nothing = entry(501, git_sha="unknown", workload="bare", provenance={})
    malformed = {"git_sha": "main", "model_md5": "nonsense"}
    drafts = [
        *rows_of(BAD),
        imported(100, [conflict]),
        imported(101, [nothing]),
        Draft("annotation", {"target": "x", "disposition": "kept"}, "kaveri", malformed),
        Draft("ingest", {"rows": [entry(502, git_sha="HEAD")]}, "kaveri", {"git_sha": "HEAD"}),
    ]
    with passing(Catalog(), drafts) as reader:
        yield reader


def found_by(reader: Reader, rule: str) -> list[dict[str, Any]]:
    query = Catalog().queries["audits"]["identity"]
    return [f for f in reader.ask(Catalog().call(query)).dicts() if f["rule"] == rule]


def test_malformed_digests_are_named_once(audited: Reader) -> None:
    found = found_by(audited, "malformed")
    assert {f["severity"] for f in found} == {"fault"}
    rows = [(f["subject"], f["rows"], f["detail"]) for f in found if len(f["id"]) == 16]
    assert sorted(rows) == [
        ("binary_md5", 2, f"{'c' * 40} is no md5 (32 hex digits)"),
        ("code_objects", 2, f"{'d' * 32} is no sha256 (64 hex digits)"),
        ("git_sha", 1, "head is no commit id (7 to 40 hex digits)"),
        ("git_sha", 2, "main is no commit id (7 to 40 hex digits)"),
        ("model_md5", 2, "abc123 is no md5 (32 hex digits)"),
    ]


def test_malformed_provenance_of_an_event_without_rows_is_told_too(audited: Reader) -> None:
    events = [f for f in found_by(audited, "malformed") if len(f["id"]) != 16]
    assert [f["subject"] for f in events] == ["git_sha", "model_md5"]
    assert len({f["id"] for f in events}) == 1, "where a row tells it, the event doesn't repeat it"


def test_a_model_in_the_place_of_a_prompt(audited: Reader) -> None:
    [found] = found_by(audited, "misplaced")
    assert (found["severity"], found["subject"], found["rows"]) == ("fault", "draft_md5", 2)
    assert found["detail"].startswith(f"{'a' * 32} stands as ")
    assert "prompt_md5 in 2 rows" in found["detail"]


def test_an_architecture_in_conflict(audited: Reader) -> None:
    [found] = found_by(audited, "conflict")
    assert (found["severity"], found["subject"]) == ("fault", "arch")
    assert found["detail"] == "architecture in conflict: a gfx1, b gfx2"


def test_what_keeps_rows_from_being_evidence_is_a_note(audited: Reader) -> None:
    found = {f["subject"]: f for f in found_by(audited, "no evidence")}
    assert {f["severity"] for f in found.values()} == {"note"}
    bare = found["git_sha, git_state, binary_md5, second run"]
    assert bare["rows"] == 1
    assert "collect with --runs 4" in bare["detail"]


SPLIT: dict[str, dict[str, Any]] = {
    "base": {},
    "other model": {"model": MODEL | {"md5": "e" * 32}},
    "knob": {"variant": {"env": {"HIPFIRE_KV_MODE": "asym3", "HIPFIRE_X": "1"}}},
    "commit": {"git_sha": "1234567"},
    "quarantined": {"phase": "elsewhere"},
}


def test_classes_and_what_splits_them() -> None:
    alike = {name: {"workload": "w"} | change for name, change in SPLIT.items()}
    drafts = [*rows_of(alike), imported(99, [entry(900, workload="alone")])]
    catalog = Catalog()
    with passing(catalog, drafts) as reader:
        found = ask(reader, catalog, "comparability").dicts()
    assert {f["severity"] for f in found} == {"note"}
    assert {f["workload"] for f in found} == {"w"}, "one class alone is no news"
    assert [(f["class"], f["rows"], f["commits"]) for f in found] == [
        (1, 4, 2),
        (2, 2, 1),
        (3, 2, 1),
    ]
    assert {tuple(f["split_by"]) for f in found} == {("env", "model")}
    assert found[0]["detail"] == f"env=HIPFIRE_KV_MODE=asym3, model={'a' * 32}"
