import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from ledger.audit import KINDS
from ledger.envelope import GENESIS, Draft, seal

FILE = Path(__file__).resolve().parents[1] / "data" / "golden" / "events.json"
GOLDEN: list[dict[str, Any]] = json.loads(FILE.read_text())


def sealed(golden: dict[str, Any]) -> Any:
    return seal(Draft(**golden["draft"]), golden["origin"], now_us=1)


def test_every_kind_and_version_has_a_golden_event() -> None:
    kept = {(one["draft"]["kind"], one["draft"]["version"]) for one in GOLDEN}
    assert kept == {(kind, v) for kind, newest in KINDS.items() for v in range(1, newest + 1)}


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda one: one["draft"]["kind"])
def test_a_golden_event_keeps_its_bytes_id_and_hash(golden: dict[str, Any]) -> None:
    event = sealed(golden)
    assert event.payload == golden["canonical"]
    assert event.payload_sha256 == golden["payload_sha256"]
    assert event.event_id == golden["event_id"]
    assert event.host == golden["stored_host"]
    assert list(event.provenance) == golden["stored_provenance"]
    assert event.chained(golden["seq"], golden["prev_hash"]) == golden["hash"]


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda one: one["draft"]["kind"])
def test_the_format_alone_gives_the_same_digests(golden: dict[str, Any]) -> None:
    """Recomputed from the words of the format, without the code under test."""
    draft = golden["draft"]
    payload_digest = hashlib.sha256(golden["canonical"].encode("utf-8")).hexdigest()
    middle = [
        draft["kind"],
        str(draft["version"]),
        str(draft["recorded_us"]),
        golden["stored_host"],
        *[value or "" for value in golden["stored_provenance"]],
        payload_digest,
    ]
    head = ["atlas1", golden["origin"]]
    identity = hashlib.sha256("\n".join(head + middle).encode()).hexdigest()[:32]
    place = [str(golden["seq"]), identity]
    lines = [*head, *place, *middle, golden["prev_hash"]]
    assert identity == golden["event_id"]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == golden["hash"]


def test_the_golden_events_are_one_chain() -> None:
    prevs = [one["prev_hash"] for one in GOLDEN]
    assert prevs == [GENESIS, *(one["hash"] for one in GOLDEN[:-1])]


def test_what_was_replaced_is_told_in_the_payload() -> None:
    told = {
        one["draft"]["kind"]: {
            finding["code"] for finding in json.loads(one["canonical"]).get("findings", [])
        }
        for one in GOLDEN
    }
    assert told["ingest"] == {"number_not_finite"}
    assert told["eval_run"] == {"lone_surrogate"}
    assert told["reparse"] == {"provenance_malformed"}


def test_unknown_is_not_malformed() -> None:
    event = seal(Draft("task", {}, "h", {"git_sha": "unknown", "arch": ""}), "o", 1)
    assert set(event.provenance) == {None}
    assert event.payload == "{}"
