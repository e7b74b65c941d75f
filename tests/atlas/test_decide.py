from collections.abc import Iterator

import pytest
from support.evidence import run, series
from support.tries import event_ids

from atlas.ask import ask
from atlas.decide import Refused, annotation, retraction
from atlas.errors import BadUsage
from ledger.envelope import Draft
from ledger.passing import passing
from ledger.reader import Reader
from queries.catalog import Catalog

CLEAN = series("clean.", [1.0, 1.01], 0)
NOTE = Draft("annotation", {"target": "", "disposition": "historical", "why": "old"})
TASK = Draft("task", {"document": {"task_id": "t"}})


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture(scope="module")
def reader(catalog: Catalog) -> Iterator[Reader]:
    drafts = [
        *CLEAN,
        *series("dirty.", [1.0, 1.01], 10, git_state="dirty", diff_md5="d" * 32),
        *series("norepo.", [1.0, 1.01], 20, git_state="unknown"),
        *series("cut.", [1.0, 1.01], 30, status="partial"),
        run("single.", 1.0, 40, binary_md5=None),
        Draft("annotation", {"target": event_ids(CLEAN)[0], "disposition": "historical"}),
        Draft("retraction", {"target": event_ids(CLEAN)[1], "why": "hot"}),
        TASK,
    ]
    with passing(catalog, drafts) as found:
        yield found


@pytest.mark.parametrize(
    ("session", "disposition", "said"),
    [
        ("dirty.", "promotion_candidate", "its worktree was dirty"),
        ("norepo.", "promotion_candidate", "unknown, which is never clean"),
        ("cut.", "promotion_candidate", "it is partial"),
        ("single.", "measured", "it lacks binary_md5, second run"),
    ],
)
def test_what_evidence_can_not_be(
    reader: Reader, catalog: Catalog, session: str, disposition: str, said: str
) -> None:
    with pytest.raises(Refused, match=said) as refusal:
        annotation(reader, catalog, f"session={session}", disposition, "because")
    assert refusal.value.exit_code == 1


@pytest.mark.parametrize(
    ("session", "disposition"),
    [
        ("clean.", "promotion_candidate"),
        ("dirty.", "measured"),
        ("dirty.", "rejected"),
        ("cut.", "historical"),
        ("single.", "exploratory"),
    ],
)
def test_what_it_can_be(reader: Reader, catalog: Catalog, session: str, disposition: str) -> None:
    draft = annotation(reader, catalog, f"session={session}", disposition, " because ")
    assert draft.payload["disposition"] == disposition
    assert draft.payload["why"] == "because"
    assert len(draft.payload["target"]) == 16


def test_an_event_without_rows_is_annotated_itself(reader: Reader, catalog: Catalog) -> None:
    (task,) = event_ids([TASK])
    draft = annotation(reader, catalog, task[:12], "historical", "because")
    assert draft.payload["target"] == task


def test_a_retraction_tells_what_rests_on_it(reader: Reader, catalog: Catalog) -> None:
    target = event_ids(CLEAN)[0]
    draft, shaken = retraction(reader, catalog, target[:12], "wrong model")
    assert draft.payload == {"target": target, "why": "wrong model"}
    assert [(one["kind"], one["how"]) for one in shaken] == [("annotation", "annotates it")]


def test_what_can_not_be_retracted(reader: Reader, catalog: Catalog) -> None:
    row = ask(reader, catalog, "selected_rows", limit=1).rows[0][0]
    with pytest.raises(BadUsage, match="is a row"):
        retraction(reader, catalog, row, "x")
    with pytest.raises(Refused, match="retracted already"):
        retraction(reader, catalog, event_ids(CLEAN)[1], "x")
    with pytest.raises(BadUsage, match="a reason"):
        retraction(reader, catalog, event_ids(CLEAN)[0], " ")


def test_whatever_rests_on_it_is_marked(catalog: Catalog) -> None:
    with passing(catalog, CLEAN) as reader:
        row = ask(reader, catalog, "selected_rows", limit=1).rows[0][0]
    noted = Draft("annotation", {"target": row, "disposition": "historical", "why": "a"})
    about = Draft(
        "annotation",
        {"target": event_ids([noted])[0], "disposition": "rejected", "why": "b"},
    )
    gone = Draft("retraction", {"target": event_ids(CLEAN)[1], "why": "hot"})
    back = Draft("retraction", {"target": event_ids([gone])[0], "why": "it was fine"})
    with passing(catalog, [*CLEAN, noted, about, gone]) as reader:
        standing = {
            one["event_id"]: one["standing"] for one in ask(reader, catalog, "event_log").dicts()
        }
        shaken = {one["event_id"]: one["why"] for one in ask(reader, catalog, "shaken").dicts()}
    assert standing[event_ids(CLEAN)[1]] == "retracted"
    for one in event_ids([noted, about]):
        assert standing[one] == "rests on retracted"
        assert shaken[one] == "hot"
    with passing(catalog, [*CLEAN, noted, about, gone, back]) as reader:
        assert ask(reader, catalog, "shaken").rows == []
        assert len(ask(reader, catalog, "rows").rows) == 2


def test_a_newer_parse_of_what_was_taken_back_goes_with_it(catalog: Catalog) -> None:
    first = CLEAN[0]
    parse = Draft(
        "reparse",
        {
            **first.payload,
            "supersedes": event_ids([first])[0],
            "parser": {"name": "p", "version": 9},
        },
    )
    gone = Draft("retraction", {"target": event_ids([first])[0], "why": "hot"})
    with passing(catalog, [first, parse]) as reader:
        assert len(ask(reader, catalog, "rows").rows) == 1
    with passing(catalog, [first, parse, gone]) as reader:
        assert ask(reader, catalog, "rows").rows == []
