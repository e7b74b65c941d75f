import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.toy import Ears, imported, rows, thing, toy_catalog, toy_ledger

from ledger import outbox
from ledger.audit import audit_chain
from ledger.envelope import Draft, seal, sha256_text
from ledger.errors import LedgerDamaged, LedgerUnwritable
from ledger.store import Ledger

BODY = b"what the bench printed \xff\x00"
BODY_SHA = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def ears() -> Ears:
    return Ears()


@pytest.fixture
def ledger(tmp_path: Path, ears: Ears) -> Ledger:
    return toy_ledger(tmp_path, ears)


def with_blob(ledger: Ledger, number: int) -> Path:
    """Records a thing with a blob; gives its batch."""
    output = {"stderr": {"sha256": BODY_SHA, "n_bytes": len(BODY)}}
    before = set(outbox.waiting(ledger.place))
    ledger.record([thing(number, output=output)], {BODY_SHA: BODY})
    return (set(outbox.waiting(ledger.place)) - before).pop()


def count(ledger: Ledger, table: str = "events") -> int:
    return int(rows(ledger.place.file, f"SELECT count(*) FROM {table}")[0][0])


def test_recording_opens_no_database_and_is_durable_at_once(ledger: Ledger) -> None:
    ledger.record([thing(1), thing(2)])
    assert not ledger.place.file.exists()
    assert [outbox.count_events(path) for path in outbox.waiting(ledger.place)] == [2]
    ledger.drain()
    assert count(ledger) == 2
    assert outbox.waiting(ledger.place) == []


def test_a_batch_is_written_and_read_back_equal(ledger: Ledger) -> None:
    path = with_blob(ledger, 1)
    batch = outbox.read_batch(path, outbox.known_origin(ledger.place) or "")
    assert list(batch.blobs.values()) == [BODY]
    assert batch.events[0].payload.startswith('{"output":')
    ledger.drain()
    assert rows(ledger.place.file, "SELECT n_bytes, body FROM blobs") == [(len(BODY), BODY)]


def test_everything_is_private_to_the_user(tmp_path: Path) -> None:
    ledger = toy_ledger(tmp_path / "deep" / "folder")
    mask = os.umask(0)
    try:
        ledger.record([thing(1)])
        waiting = outbox.waiting(ledger.place)[0]
        modes = {
            path: path.stat().st_mode & 0o777
            for path in (ledger.place.file.parent, ledger.place.outbox, waiting)
        }
        ledger.drain()
        with ledger.reader() as reader:
            assert reader.ask("SELECT count(*) FROM thing").rows == [(1,)]
        place = ledger.place
        for path in (place.file, place.lock_file, place.origin_file):
            modes[path] = path.stat().st_mode & 0o777
    finally:
        os.umask(mask)
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if not path.is_dir()} == {0o600}


def test_a_half_written_file_is_no_batch(ledger: Ledger) -> None:
    ledger.record([thing(1)])
    whole = outbox.waiting(ledger.place)[0]
    half = whole.with_name(f".{whole.name}.0badcafe.tmp")
    half.write_bytes(whole.read_bytes()[:50])
    ledger.drain()
    assert count(ledger) == 1
    assert outbox.damaged(ledger.place) == []


def alter_line(path: Path, change: Callable[[dict[str, Any]], None], number: int) -> None:
    lines = path.read_bytes().split(b"\n")
    values = json.loads(lines[number])
    change(values)
    lines[number] = json.dumps(values).encode()
    path.write_bytes(b"\n".join(lines))


def fit_digest(path: Path) -> None:
    """What somebody does who knows the format: the header's digest is made to fit."""
    head, _, body = path.read_bytes().partition(b"\n")
    header = json.loads(head) | {"sha256": hashlib.sha256(body).hexdigest()}
    path.write_bytes(json.dumps(header).encode() + b"\n" + body)


ALTERED: dict[str, Callable[[Path], None]] = {
    "header: format": lambda p: alter_line(p, lambda v: v.update(format="atlas-outbox-9"), 0),
    "header: digest": lambda p: alter_line(p, lambda v: v.update(sha256="0" * 64), 0),
    "header: events": lambda p: alter_line(p, lambda v: v.update(events=7), 0),
    "header: blobs": lambda p: alter_line(p, lambda v: v.update(blobs=0), 0),
    "header: endless blobs": lambda p: p.write_bytes(
        p.read_bytes().replace(b'"blobs":1', b'"blobs":1e999', 1)
    ),
    "header: endless events": lambda p: p.write_bytes(
        p.read_bytes().replace(b'"events":1', b'"events":1e999', 1)
    ),
    "header: a list": lambda p: p.write_bytes(b"[]\n" + p.read_bytes()),
    "blob": lambda p: alter_line(p, lambda v: v.update(base64="AAAA"), 1),
    "blob, digest fits": lambda p: (
        alter_line(p, lambda v: v.update(base64="AAAA"), 1),
        fit_digest(p),
    )[0],
    "blob: no base64": lambda p: (alter_line(p, lambda v: v.update(base64="!"), 1), fit_digest(p))[
        0
    ],
    "event: payload": lambda p: (alter_line(p, lambda v: v.update(payload="{}"), 2), fit_digest(p))[
        0
    ],
    "event: envelope": lambda p: (alter_line(p, lambda v: v.update(host="x"), 2), fit_digest(p))[0],
    "event: number as text": lambda p: (
        alter_line(p, lambda v: v.update(version="1"), 2),
        fit_digest(p),
    )[0],
    "event: payload is a number": lambda p: (
        alter_line(p, lambda v: v.update(payload=5), 2),
        fit_digest(p),
    )[0],
    "event: field missing": lambda p: (alter_line(p, lambda v: v.pop("arch"), 2), fit_digest(p))[0],
    "event: no object": lambda p: (
        p.write_bytes(b"\n".join([*p.read_bytes().split(b"\n")[:2], b"5", b""])),
        fit_digest(p),
    )[0],
    "cut": lambda p: os.truncate(p, p.stat().st_size - 30),
    "cut to nothing": lambda p: os.truncate(p, 0),
    "one byte": lambda p: p.write_bytes(p.read_bytes()[:-9] + b"x" + p.read_bytes()[-8:]),
    "binary": lambda p: p.write_bytes(os.urandom(500)),
    "no UTF-8": lambda p: p.write_bytes(p.read_bytes() + b"\xff\xfe"),
}


@pytest.mark.parametrize("how", ALTERED)
def test_a_damaged_batch_is_put_aside_and_told_by_every_command(
    ledger: Ledger, ears: Ears, how: str
) -> None:
    damaged = with_blob(ledger, 1)
    ledger.record([thing(2)])
    ALTERED[how](damaged)
    bytes_then = damaged.read_bytes()
    drained = ledger.drain()
    assert [path.name for path in drained.damaged] == [damaged.name]
    assert count(ledger) == 1
    assert (ledger.place.damaged / damaged.name).read_bytes() == bytes_then
    for _ in range(2):
        ears.remarks.clear()
        with ledger.reader() as reader:
            assert reader.ask("SELECT count(*) FROM thing").rows == [(1,)]
        assert [text for text in ears.remarks if "1 damaged outbox file" in text]
    (ledger.place.damaged / damaged.name).unlink()
    ears.remarks.clear()
    ledger.drain()
    assert ears.remarks == []


def forged(ledger: Ledger, **changes: Any) -> Path:
    """A batch whose digests all fit, of an event no recorder makes."""
    origin = outbox.known_origin(ledger.place) or outbox.mint_origin(ledger.place)
    event = seal(thing(1), origin, 1)._replace(**changes)
    event = event._replace(event_id=event.identity())
    with outbox.writing_batch(ledger.place, 1) as writer:
        writer.add(event)
    return writer.target


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "a\nb"},
        {"kind": ""},
        {"host": "a\nb"},
        {"recorded_us": 2**63},
        {"version": 2**31},
        {"version": True},
        {"provenance": ("a\nb", *[None] * 6)},
    ],
    ids=str,
)
def test_an_event_no_column_takes_never_blocks_the_others(
    ledger: Ledger, changes: dict[str, Any]
) -> None:
    forged(ledger, **changes)
    ledger.record([thing(2)])
    drained = ledger.drain()
    assert len(drained.damaged) == 1
    assert count(ledger) == 1


@pytest.mark.parametrize(
    "draft",
    [
        Draft("a\nb", {}),
        Draft("", {}),
        Draft("task", {}, version=0),
        Draft("task", {}, recorded_us=2**63),
    ],
    ids=repr,
)
def test_a_recorder_is_told_before_anything_is_written(ledger: Ledger, draft: Draft) -> None:
    with pytest.raises(ValueError, match=r"field|kind|number|time"):
        ledger.record([draft])
    assert outbox.waiting(ledger.place) == []


@pytest.mark.parametrize("host", ["a\nb", "", "\ud800", "x\0y", " \t", "ü" * 300])
def test_any_host_name_is_stored_on_one_line(ledger: Ledger, host: str) -> None:
    ledger.record([Draft("task", {}, host)])
    ledger.drain()
    stored = rows(ledger.place.file, "SELECT host FROM events")[0][0]
    assert stored
    assert "\n" not in stored
    assert count(ledger) == 1


def test_a_folder_in_place_of_a_batch_blocks_nothing(ledger: Ledger) -> None:
    ledger.record([thing(1)])
    (ledger.place.outbox / "0-folder.ndjson").mkdir()
    assert len(ledger.drain().damaged) == 1
    assert count(ledger) == 1


def test_a_batch_of_another_ledger_is_put_aside(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = toy_ledger(tmp_path / "other")
    other.record([thing(1)])
    strange = outbox.waiting(other.place)[0]
    ledger.record([thing(2)])
    strange.rename(ledger.place.outbox / strange.name)
    assert [path.name for path in ledger.drain().damaged] == [strange.name]
    assert rows(ledger.place.file, "SELECT size FROM thing") == [(2,)]


def test_a_missing_outbox_folder_gets_the_origin_of_the_ledger(ledger: Ledger) -> None:
    ledger.record([thing(1)])
    ledger.drain()
    origin = outbox.known_origin(ledger.place)
    ledger.place.origin_file.unlink()
    ledger.place.outbox.rmdir()
    with ledger.reader() as reader:
        assert reader.ask("SELECT count(*) FROM thing").rows == [(1,)]
    ledger.record([thing(2)])
    assert outbox.known_origin(ledger.place) == origin
    ledger.drain()
    assert rows(ledger.place.file, "SELECT count(DISTINCT origin), max(seq) FROM events") == [
        (1, 1)
    ]


def test_a_garbled_origin_file_is_an_error_that_says_what_to_do(ledger: Ledger) -> None:
    ledger.record([thing(1)])
    ledger.drain()
    ledger.place.origin_file.write_text("no uuid\n")
    with pytest.raises(LedgerDamaged) as told:
        ledger.record([thing(2)])
    assert "remove it" in told.value.hint
    ledger.place.origin_file.unlink()
    ledger.record([thing(2)])
    ledger.drain()
    assert rows(ledger.place.file, "SELECT count(DISTINCT origin), max(seq) FROM events") == [
        (1, 1)
    ]


def test_an_origin_file_of_another_ledger_is_an_error(ledger: Ledger) -> None:
    ledger.record([thing(1)])
    ledger.drain()
    ledger.place.origin_file.write_text("00000000-0000-4000-8000-000000000000\n")
    ledger.record([thing(2)])
    with pytest.raises(LedgerDamaged, match="belongs to origin 00000000"):
        ledger.drain()
    assert len(outbox.waiting(ledger.place)) == 1


def test_two_first_recorders_agree_on_the_origin(ledger: Ledger) -> None:
    first = outbox.mint_origin(ledger.place)
    assert outbox.mint_origin(ledger.place) == first
    assert [path.name for path in ledger.place.outbox.iterdir()] == ["origin"]


def test_the_same_batch_twice_adds_nothing(ledger: Ledger) -> None:
    batch = with_blob(ledger, 1)
    content = batch.read_bytes()
    again = batch.with_name(f"9{batch.name}")
    again.write_bytes(content)
    assert len(ledger.drain().appended.new) == 1
    again.write_bytes(content)
    assert len(ledger.drain().appended.known) == 1
    assert count(ledger) == count(ledger, "thing") == count(ledger, "blobs") == 1


@pytest.mark.parametrize("draft", [thing(1), imported(1)], ids=lambda draft: draft.kind)
def test_the_same_event_twice_in_one_batch_enters_once(ledger: Ledger, draft: Draft) -> None:
    ledger.record([draft, draft])
    assert len(ledger.drain().appended.new) == 1
    assert count(ledger) == 1


def test_an_event_that_is_here_is_reported_as_known(ledger: Ledger) -> None:
    first = ledger.record([thing(1)]).event_ids
    ledger.drain()
    again = ledger.record([thing(1), thing(2)]).event_ids
    appended = ledger.drain().appended
    assert appended.known == first
    assert appended.new == again[1:]
    assert rows(ledger.place.file, "SELECT seq FROM events ORDER BY seq") == [(0,), (1,)]


def test_a_piece_of_a_file_enters_once(ledger: Ledger) -> None:
    """Within one batch, across batches of one drain, and across drains."""
    ledger.record([imported(1, a=1), imported(2, a=1), imported(1, a=2)])
    ledger.record([imported(2, a=3), imported(3, a=3)])
    first = ledger.drain().appended
    assert (len(first.new), len(first.known)) == (3, 2)
    ledger.record([imported(3, a=4), imported(4, a=4)])
    second = ledger.drain().appended
    assert (len(second.new), len(second.known)) == (1, 1)
    assert rows(ledger.place.file, "SELECT ordinal FROM sources ORDER BY 1") == [
        (1,),
        (2,),
        (3,),
        (4,),
    ]


@pytest.mark.parametrize("lacks", ["ordinal", "adapter", "file_sha256"])
def test_pieces_without_a_whole_key_are_never_taken_for_each_other(
    ledger: Ledger, lacks: str
) -> None:
    source = {"file_sha256": "f" * 64, "ordinal": 1, "adapter": "toy"}
    del source[lacks]
    drafts = [Draft("ingest", {"source": source, "n": n}, recorded_us=n) for n in range(3)]
    ledger.record(drafts)
    assert len(ledger.drain().appended.new) == 3


@pytest.mark.parametrize("source", [None, 5, [], {"file_sha256": {}, "ordinal": "x"}, "f" * 64])
def test_a_source_of_another_shape_blocks_nothing(ledger: Ledger, source: Any) -> None:
    ledger.record([Draft("ingest", {"source": source}), thing(1)])
    assert len(ledger.drain().appended.new) == 2


def test_events_enter_in_the_order_of_their_time(ledger: Ledger) -> None:
    for number in (3, 1, 2):
        ledger.record([thing(number)])
    ledger.drain()
    assert rows(ledger.place.file, "SELECT size FROM thing NATURAL JOIN events ORDER BY seq") == [
        (1,),
        (2,),
        (3,),
    ]


def test_a_clock_that_goes_backwards_costs_nothing(ledger: Ledger) -> None:
    ledger.record([thing(100)])
    ledger.drain()
    ledger.record([thing(5)])
    ledger.record([Draft("collection", {"size": 1}, recorded_us=-1)])
    ledger.drain()
    in_order = "SELECT seq, size FROM thing NATURAL JOIN events ORDER BY seq"
    assert rows(ledger.place.file, in_order) == [(0, 100), (1, 1), (2, 5)]
    with ledger.reader() as reader:
        assert audit_chain(reader).rows == []


def test_a_recording_without_a_writable_folder_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ledger = Ledger(tmp_path / "file" / "toy.duckdb", toy_catalog())
    with pytest.raises(LedgerUnwritable) as told:
        ledger.record([thing(1)])
    assert told.value.exit_code == 3
    assert "--ledger" in told.value.hint


def test_payload_digests_are_of_the_stored_bytes(ledger: Ledger) -> None:
    ledger.record([thing(1, text="größer \U0001f680 \x00")])
    ledger.drain()
    payload, digest = rows(ledger.place.file, "SELECT payload, payload_sha256 FROM events")[0]
    assert sha256_text(payload) == digest
    assert json.loads(payload)["text"] == "größer \U0001f680 \x00"
