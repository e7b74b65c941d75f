"""Views that hand out payloads: a fork gives the same answer whichever branch lies where."""

import json
import shutil
from typing import Any

import pytest
from support import evidence, fit, tries

from atlas.ask import ask
from ledger.envelope import Draft
from ledger.store import Ledger
from queries.catalog import Catalog

CATALOG = Catalog()
SHARED = "0" * 32
_LAST_US = 4_000_000_000_000_000
"""After everything else, so that it is chained to something else on each side."""


def task(task_id: str) -> Draft:
    return Draft("task", {"document": {"task_id": task_id}}, "amber")


def baseline(number: int) -> Draft:
    document = {"task_id": "atlas-shared", "metric": "score", "experiment_id": f"e{number}"}
    return Draft("baseline", {"document": document}, "amber")


def code_object(md5: str) -> Draft:
    shown = fit.image(fit.kernel("gemv")) | {"arch": "gfx1100"}
    return Draft("isa_object", {"md5": md5, "images": [shown]}, "amber")


def manifest(*md5s: str) -> Draft:
    members = [{"path": f"{md5[0]}.hsaco", "md5": md5, "images": [0]} for md5 in md5s]
    return Draft("isa_manifest", {"manifest": {"members": members}}, "amber")


def imported() -> Draft:
    """A row that comes in on both sides: one event in two branches."""
    payload = evidence.run("shared", 90.0, 1).payload
    source = {"file_sha256": "e" * 64, "ordinal": 0, "adapter": "x", "adapter_version": 1}
    shared = {"rows": payload["rows"], "source": source}
    return Draft("ingest", shared, "amber", recorded_us=_LAST_US)


def side(name: str, md5: str) -> list[Draft]:
    return [
        task(f"atlas-{name}"),
        baseline(ord(name)),
        code_object(md5),
        manifest(md5, SHARED),
        *tries.runs(name, tries.BASE[:2], ord(name)),
        imported(),
    ]


@pytest.fixture(scope="module", params=["first here", "second here"])
def forked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    """A ledger and a copy that both went on, merged into one of them."""
    folder = tmp_path_factory.mktemp("fork")
    one = Ledger(folder / "one" / "atlas.duckdb", CATALOG)
    one.record([task("atlas-shared"), code_object(SHARED), baseline(0)])
    one.drain(wait=True)
    shutil.copytree(folder / "one", folder / "two")
    two = Ledger(folder / "two" / "atlas.duckdb", CATALOG)
    for ledger, name, md5 in ((one, "a", "a" * 32), (two, "b", "b" * 32)):
        ledger.record(side(name, md5))
        ledger.drain(wait=True)
    here, there = (one, two) if request.param == "first here" else (two, one)
    here.merge([there.place.file])
    return here


def asked(ledger: Ledger, name: str, **given: Any) -> list[dict[str, Any]]:
    with ledger.reader() as reader:
        return ask(reader, CATALOG, name, **given).dicts()


def test_both_branches_are_there_and_one_event_stands_in_both(forked: Ledger) -> None:
    assert len(asked(forked, "repeated_places")) == 1
    assert len(asked(forked, "contested")) == 13


def test_tasks_of_both_branches(forked: Ledger) -> None:
    found = [one["task_id"] for one in asked(forked, "tasks_like", prefix="atlas-")]
    assert found == ["atlas-a", "atlas-b", "atlas-shared"]


def test_a_baseline_from_before_the_fork_stands_and_none_of_a_branch_does(forked: Ledger) -> None:
    found = asked(forked, "task_baselines_of", task_id="atlas-shared", host="amber")
    assert [json.loads(one["document"])["experiment_id"] for one in found] == ["e0"]


def test_objects_of_both_branches(forked: Ledger) -> None:
    md5s = ["a" * 32, "b" * 32, SHARED]
    found = asked(forked, "known_objects", md5s=md5s)
    assert sorted(one["md5"] for one in found) == sorted(md5s)


def test_images_of_manifests_of_both_branches(forked: Ledger) -> None:
    with forked.reader() as reader:
        made = reader.ask("SELECT DISTINCT event_id FROM isa_manifest").rows
    assert len(made) == 2
    for (event_id,) in made:
        assert len(asked(forked, "image_texts", event_id=event_id)) == 2


def test_runs_of_both_branches_can_be_resumed(forked: Ledger) -> None:
    found = asked(forked, "unfinished_runs", contract="c")
    assert [one["experiment_id"] for one in found] == ["b", "b", "a", "a"]


def test_a_row_that_stands_in_both_branches_is_one(forked: Ledger) -> None:
    row_id = imported().payload["rows"][0]["row_id"]
    assert len(asked(forked, "task_row", row_id=row_id)) == 1
