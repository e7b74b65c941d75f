"""Manifest files that rows name: found, checked, and read once."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from support.fit import image, kernel, manifest, row

from atlas.ask import ask
from atlas.ingest.run import ingest
from ledger.observer import SILENT
from ledger.store import Ledger
from queries.catalog import Catalog

MIX = {"valu": 7}


class Folder:
    """Files to ingest, and the fit read afterwards."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.catalog = Catalog()
        self.ledger = Ledger(path / "l.duckdb", self.catalog)

    def write(self, name: str, document: Any) -> str:
        data = json.dumps(document).encode()
        (self.path / name).parent.mkdir(exist_ok=True)
        (self.path / name).write_bytes(data)
        return hashlib.md5(data).hexdigest()

    def fit(self, *names: str) -> tuple[list[str], dict[str, Any]]:
        reports = ingest([self.path / name for name in names], self.ledger, SILENT)
        with self.ledger.reader() as reader:
            found = ask(reader, self.catalog, "fit").dicts()
        return [one.code for report in reports for one in report.findings], found[0]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return Folder(tmp_path)


def named(path: str, md5: str | None = None) -> dict[str, Any]:
    told = {"manifest_path": path} | ({"manifest_md5": md5} if md5 else {})
    return row("w", artifacts={"isa": told})


def test_a_file_beside_the_rows_is_read_and_checked(folder: Folder) -> None:
    md5 = folder.write("m.json", manifest(image(kernel("k", MIX))))
    folder.write("rows.jsonl", named("m.json", md5.upper()))
    codes, fit = folder.fit("rows.jsonl")
    assert (codes, fit["instructions"], fit["found_by"]) == ([], 7, "manifest")


def test_without_a_digest_the_file_that_was_found_is_meant(folder: Folder) -> None:
    folder.write("m.json", manifest(image(kernel("k", MIX))))
    folder.write("rows.jsonl", named("m.json"))
    assert folder.fit("rows.jsonl")[1]["instructions"] == 7


def test_the_working_directory_comes_first(folder: Folder) -> None:
    folder.write("m.json", manifest(image(kernel("k", MIX))))
    folder.write("elsewhere/m.json", manifest(image(kernel("k", {"valu": 3}))))
    folder.write("rows.jsonl", named("m.json"))
    assert folder.fit("rows.jsonl")[1]["instructions"] == 3


@pytest.mark.parametrize(
    ("content", "md5", "code"),
    [
        (manifest(), "0" * 32, "manifest_differs"),
        ({"schema": "other"}, None, "manifest_unread"),
        (None, None, "manifest_unread"),
    ],
)
def test_what_is_not_the_manifest_is_a_finding(
    folder: Folder, content: Any, md5: str | None, code: str
) -> None:
    if content is not None:
        folder.write("m.json", content)
    folder.write("rows.jsonl", named("m.json", md5))
    codes, fit = folder.fit("rows.jsonl")
    assert codes == [code]
    assert fit["scope"] == "none"


def test_a_manifest_that_comes_later_is_found_by_its_digest(folder: Folder) -> None:
    md5 = folder.write("later/m.json", manifest(image(kernel("k", MIX))))
    folder.write("rows.jsonl", named("m.json", md5))
    assert folder.fit("rows.jsonl")[1]["scope"] == "none"
    codes, fit = folder.fit("later/m.json", "rows.jsonl")
    assert fit["instructions"] == 7
    assert codes == ["manifest_unread"]


def test_the_same_again_adds_nothing(folder: Folder) -> None:
    md5 = folder.write("m.json", manifest(image(kernel("k", MIX))))
    folder.write("rows.jsonl", named("m.json", md5))
    paths = [folder.path / "rows.jsonl", folder.path / "m.json"]
    first = ingest(paths, folder.ledger, SILENT)
    again = ingest(paths, folder.ledger, SILENT)
    assert sum(one.new for one in first) == 2
    assert sum(one.new for one in again) == 0
