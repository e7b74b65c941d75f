"""Segments, canonical JSONL and shelves: the same hashes on the other side, and nothing twice."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from support.auditing import quick_audit
from support.histories import add, answers, copied, host, text_of
from support.processes import finish, start_writer
from support.toy import plainly, toy_ledger

from ledger.errors import LedgerUnwritable, SourceMissing
from ledger.observer import SILENT
from ledger.segment_offer import Segments
from ledger.segments import Exported, Segment, export_segments, read_segment
from ledger.shelf import Shelf
from ledger.store import Ledger


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Ledger:
    """A ledger of two origins, one of them forked twice."""
    folder = tmp_path_factory.mktemp("forked")
    one = host(folder / "one", 1, 3, shared=2)
    two = copied(one, folder / "two")
    add(one, 20, 21)
    three = copied(one, folder / "three")
    add(one, 22)
    add(two, 30)
    add(three, 40)
    one.merge([two.place.file, three.place.file, host(folder / "four", 50, 2).place.file])
    return one


def export(ledger: Ledger, folder: Path) -> Exported:
    with ledger.reader() as reader:
        return export_segments(reader, Shelf(str(folder)), SILENT)


def test_segments_round_trip_with_all_branches(forked: Ledger, tmp_path: Path) -> None:
    done = export(forked, tmp_path / "shelf")
    assert (done.events, done.blobs) == (12, 2)
    other = toy_ledger(tmp_path)
    (merged,) = other.merge([tmp_path / "shelf"])
    assert (merged.new, merged.refused) == (12, "")
    assert text_of(other) == text_of(forked)
    assert answers(other) == answers(forked)
    assert export(other, tmp_path / "shelf") == Exported(0, 0, 0)
    (again,) = other.merge([tmp_path / "shelf"])
    assert (again.new, sum(one.known for one in again.origins)) == (0, 12)


def test_a_second_export_writes_only_what_is_new(tmp_path: Path) -> None:
    ledger = host(tmp_path / "one", 1, 3)
    export(ledger, tmp_path / "shelf")
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "shelf").rglob("*.*")}
    add(ledger, 4, 5)
    assert export(ledger, tmp_path / "shelf") == Exported(1, 2, 0)
    assert all(file.stat().st_mtime_ns == was for file, was in before.items())
    files = sorted((tmp_path / "shelf").glob("origin=*/*.parquet"))
    assert [file.name[:25] for file in files] == [
        "000000000000-000000000002",
        "000000000003-000000000004",
    ]


def test_a_segment_is_a_plain_parquet_file(tmp_path: Path) -> None:
    export(host(tmp_path / "one", 1, 3), tmp_path / "shelf")
    (file,) = (tmp_path / "shelf").glob("origin=*/*.parquet")
    rows = pq.ParquetFile(file).read()
    assert rows.num_rows == 3
    assert rows.column_names[-4:] == ["payload", "payload_sha256", "prev_hash", "hash"]
    assert file.stem.endswith(rows["hash"][-1].as_py()[:32])
    assert file.stat().st_mode & 0o077 == 0


def test_the_part_that_follows_is_enough_where_the_first_is_known(tmp_path: Path) -> None:
    ledger = host(tmp_path / "one", 1, 2)
    other = copied(ledger, tmp_path / "other")
    export(ledger, tmp_path / "shelf")
    add(ledger, 3)
    export(ledger, tmp_path / "shelf")
    first, _ = sorted((tmp_path / "shelf").glob("origin=*/*.parquet"))
    first.unlink()
    assert other.merge([tmp_path / "shelf"])[0].new == 1
    assert text_of(other) == text_of(ledger)
    stranger = toy_ledger(tmp_path)
    assert "follows an event that is nowhere" in stranger.merge([tmp_path / "shelf"])[0].refused


def _rewrite(file: Path, change: Callable[[list[dict[str, object]]], object]) -> None:
    table = pq.ParquetFile(file).read()
    rows = table.to_pylist()
    change(rows)
    pq.write_table(type(table).from_pylist(rows, schema=table.schema), file)


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("altered payload", lambda rows: rows[1].update(payload="{}")),
        ("altered envelope", lambda rows: rows[1].update(host="other")),
        ("not the ones its name says", lambda rows: rows.pop()),
        ("another origin", lambda rows: [row.update(origin="x") for row in rows]),
        ("not the one its name says", lambda rows: rows[-1].update(hash="0" * 64)),
        ("can't stand in a ledger", lambda rows: rows[1].update(payload=None)),
        ("can't stand in a ledger", lambda rows: rows[1].update(kind="a\nb")),
        ("follows an event that is nowhere", lambda rows: rows[1].update(prev_hash="1" * 64)),
    ],
)
def test_a_tampered_segment_is_refused(
    tmp_path: Path, said: str, change: Callable[[list[dict[str, object]]], object]
) -> None:
    export(host(tmp_path / "one", 1, 3), tmp_path / "shelf")
    (file,) = (tmp_path / "shelf").glob("origin=*/*.parquet")
    _rewrite(file, change)
    refused = toy_ledger(tmp_path).merge([tmp_path / "shelf"])[0].refused
    assert said in refused or (said.startswith("follows") and "altered envelope" in refused)


def test_broken_files_on_a_shelf(tmp_path: Path) -> None:
    export(host(tmp_path / "one", 1, 3), tmp_path / "shelf")
    (file,) = (tmp_path / "shelf").glob("origin=*/*.parquet")
    (blob,) = (tmp_path / "shelf" / "blobs").iterdir()
    ledger = toy_ledger(tmp_path)
    whole, body = file.read_bytes(), blob.read_bytes()
    file.write_bytes(whole[:100])
    assert "no Parquet file of events" in ledger.merge([tmp_path / "shelf"])[0].refused
    file.write_bytes(whole)
    blob.write_bytes(b"x" * len(body))
    assert "altered blob" in ledger.merge([tmp_path / "shelf"])[0].refused
    blob.unlink()
    assert "missing blob" in ledger.merge([tmp_path / "shelf"])[0].refused
    blob.with_name(f".{blob.name}.tmp").write_bytes(body)
    assert "missing blob" in ledger.merge([tmp_path / "shelf"])[0].refused
    blob.write_bytes(body)
    assert ledger.merge([tmp_path / "shelf"])[0].new == 3


def test_a_segment_cannot_claim_more_than_it_holds() -> None:
    with pytest.raises(ValueError, match="no Parquet"):
        read_segment(b"PAR1", "x", Segment(0, 10**17, "0" * 32))


def test_two_hosts_and_a_shared_folder(tmp_path: Path) -> None:
    """Each writes what the folder lacks and takes what it has; then both hold the same."""
    one, two = host(tmp_path / "one", 1, 3), host(tmp_path / "two", 10, 2, shared=2)
    shelf = tmp_path / "shelf"
    for ledger in (one, two, one):
        export(ledger, shelf)
        ledger.merge([Segments(Shelf(shelf.as_uri()))])
    assert text_of(one) == text_of(two)
    assert export(two, shelf) == Exported(0, 0, 0)


def test_a_store_without_folders_and_renames(tmp_path: Path) -> None:
    """The calls an object store gets, on a file system that is not recognised as local."""
    shelf = Shelf(str(tmp_path / "shelf"))
    shelf._files = fs.SubTreeFileSystem("/", fs.LocalFileSystem())
    ledger, other = host(tmp_path / "one", 1, 3), toy_ledger(tmp_path)
    with ledger.reader() as reader:
        export_segments(reader, shelf, SILENT)
    other.merge([Segments(shelf)])
    assert text_of(other) == text_of(ledger)


def test_places_that_cannot_be_reached(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="can't be reached"):
        Shelf("nonsense://x")
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerUnwritable, match="cannot write"):
        Shelf(str(tmp_path / "file")).write("blobs/x", b"")
    with pytest.raises(SourceMissing, match="can't be read"):
        Shelf(str(tmp_path)).read("nothing")
    empty = toy_ledger(tmp_path).merge([Segments(Shelf(str(tmp_path / "void")))])
    assert "holds no segments" in empty[0].refused


def test_jsonl_round_trips_and_is_the_same_text_everywhere(forked: Ledger, tmp_path: Path) -> None:
    text = text_of(forked)
    (tmp_path / "all.jsonl").write_bytes(text)
    other = toy_ledger(tmp_path)
    assert other.merge([tmp_path / "all.jsonl"])[0].new == 12
    assert text_of(other) == text
    assert other.merge([tmp_path / "all.jsonl"])[0].new == 0
    for line in text.splitlines():
        value = json.loads(line)
        assert json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) == (
            line.decode()
        )


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("it says 3 events and holds 2", lambda lines: lines.pop()),
        ("it says 1 blobs and holds 0", lambda lines: lines.pop(1)),
        ("is no JSON", lambda lines: lines.append(b"{")),
        ("is no JSON object", lambda lines: lines.append(b"[]")),
        ("no atlas-events-1 file", lambda lines: lines.pop(0)),
        ("holds no blob", lambda lines: lines.__setitem__(1, b'{"blob":"x","base64":"?"}')),
        ("altered blob", lambda lines: lines.__setitem__(1, b'{"blob":"x","base64":"AAAA"}')),
        ("another type", lambda lines: lines.__setitem__(2, b'{"seq":"one"}')),
        ("can't stand in a ledger", lambda lines: lines.__setitem__(2, b"{}")),
        (
            "altered payload",
            lambda lines: lines.__setitem__(2, lines[2].replace(b'size\\":', b'size\\":1')),
        ),
    ],
)
def test_broken_jsonl_is_refused(
    tmp_path: Path, said: str, change: Callable[[list[bytes]], object]
) -> None:
    lines = text_of(host(tmp_path / "one", 1, 3)).splitlines()
    change(lines)
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    assert said in toy_ledger(tmp_path).merge([tmp_path / "bad.jsonl"])[0].refused


@pytest.mark.parametrize(
    ("what", "point"),
    [
        ("merge", "in_merge"),
        ("merge", "before_merge_commit"),
        ("merge", "after_merge"),
        ("export", "after_rename"),
        ("export", "before_rename"),
    ],
)
def test_killed_and_repeated_is_as_if_never_killed(tmp_path: Path, what: str, point: str) -> None:
    other = host(tmp_path / "other", 1, 30)
    here = host(tmp_path / "here", 100, 3)
    target = other.place.file if what == "merge" else tmp_path / "shelf"
    code, _ = finish(start_writer(here.place.file.parent, what, str(target), point=point))
    assert code < 0
    if what == "merge":
        with plainly(here.place.file) as con:
            assert quick_audit(con) == []
            (count,) = con.execute("SELECT count(*) FROM events").fetchall()
            assert count in ((3,), (33,))
        here.merge([target])
        assert len(answers(here)["thing"]) == 33
    else:
        export(here, target)
        fresh = toy_ledger(tmp_path)
        fresh.merge([target])
        assert text_of(fresh) == text_of(here)
