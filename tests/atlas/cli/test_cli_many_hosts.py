"""Merge, import, sync, checkpoint, init --new-origin at the command line, with the real views."""

import hashlib
import itertools
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.cli import Host, copied

from ledger.audit import audit_facts
from ledger.store import Ledger
from queries.catalog import Catalog


def bench_log(arch: int) -> str:
    return (
        f"GPU dev 0: gfx{arch} (25.8 GB VRAM, HIP 7.2)\ngpu: gfx{arch}\n"
        "=== bench_qwen35_mq4 ===\n"
        f"Model: qwen3.5-4b.mq4\nPhases: prefill=32 prefill_runs=1 warmup=5 gen=50\n"
        f"SUMMARY  gen_tok_s={arch / 20}  bw_gib_s=100.0"
        "  prefill_tok_s=900.0  avg_ms=20.0\n"
    )


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three hosts with overlapping imports; the third is a copy of the first and went on."""
    folder = tmp_path_factory.mktemp("fleet")
    for arch in (1100, 1151, 1201, 1030):
        (folder / f"{arch}.log").write_text(bench_log(arch))

    def ingest(name: str, *archs: int) -> Path:
        host = Host(folder)
        words = [str(folder / f"{arch}.log") for arch in archs]
        done = host.atlas("--ledger", f"{name}.duckdb", "ingest", *words)
        assert done.returncode == 0, done.stderr
        return folder / f"{name}.duckdb"

    one, two = ingest("one", 1100, 1151), ingest("two", 1151)
    three = folder / "three.duckdb"
    shutil.copy(one, three)
    shutil.copytree(f"{one}.outbox", f"{three}.outbox")
    ingest("one", 1201)
    ingest("three", 1030)
    return [one, two, three]


EVERYTHING = "SELECT hash FROM events UNION SELECT hash FROM conflicts"


def digests(path: Path, catalog: Catalog) -> dict[str, str]:
    """sha256 over the sorted rows of every view."""
    found = {}
    with Ledger(path, catalog).reader() as reader:
        assert audit_facts(reader, catalog).rows == []
        for name, query in catalog.queries["views"].items():
            if any(param.default is None for param in query.header.params):
                continue
            if name == "ledger_health":  # counts tables, and which branch lies where
                continue
            rows = sorted(map(repr, reader.ask(catalog.call(query)).rows))
            found[name] = hashlib.sha256("\n".join(rows).encode()).hexdigest()
    return found


def test_every_view_says_the_same_in_all_six_orders(
    hosts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = Catalog()
    monkeypatch.setattr("ledger.connection._make", copied)
    orders = list(itertools.permutations(hosts))
    sets, said = [], []
    for number, order in enumerate(orders):
        path = tmp_path / f"{number}.duckdb"
        Ledger(path, catalog).merge(order)
        with Ledger(path, catalog).reader() as reader:
            sets.append(sorted(reader.ask(EVERYTHING).rows))
        # The first and the last order leave another branch in place each; `make stress` asks all.
        if number in (0, len(orders) - 1) or os.environ.get("ATLAS_STRESS") == "1":
            said.append(digests(path, catalog))
    assert all(one == sets[0] for one in sets)
    assert len(said[0]) > 10
    assert all(one == said[0] for one in said)


def test_a_fork_leaves_the_verdicts_and_is_told(hosts: list[Path], tmp_path: Path) -> None:
    host = Host(tmp_path)
    done = host.atlas("merge", *map(str, hosts))
    assert done.returncode == 0
    assert done.stderr.count("is forked from seq 2") == 1
    assert "init --new-origin" in done.stderr
    contested = host.sql("SELECT DISTINCT arch, contested FROM rows ORDER BY arch")
    assert [(row["arch"], row["contested"]) for row in contested] == [
        ("gfx1030", True), ("gfx1100", False), ("gfx1151", False), ("gfx1201", True),
    ]  # fmt: skip
    audit = host.atlas("audit", "chain", "--json")
    assert audit.returncode == 1
    assert [row["fault"] for row in json.loads(audit.stdout)] == ["fork"]


def test_merge_as_json_and_refusals(hosts: list[Path], tmp_path: Path) -> None:
    host = Host(tmp_path)
    rows: list[dict[str, Any]] = host.json("merge", str(hosts[1]))
    assert [(row["new"], row["known"], row["forked_at"]) for row in rows] == [(1, 0, None)]
    missing = host.atlas("merge", "nowhere.duckdb", "--json")
    told = json.loads(missing.stderr)
    assert (missing.returncode, told["ok"], told["code"]) == (2, False, "source_missing")
    (tmp_path / "bad.jsonl").write_text('{"format":"atlas-events-1","events":1,"blobs":0}\n')
    bad = host.atlas("merge", "bad.jsonl", str(hosts[0]))
    assert bad.returncode == 2
    assert "atlas: refused: bad.jsonl: it says 1 events and holds 0" in bad.stderr
    assert "3 events and 2 blobs new" in bad.stdout


def test_export_wants_a_folder_for_segments_only(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.atlas("init")
    for words in (("--format", "segments"), ("shelf",), ("--format", "jsonl", "shelf")):
        done = host.atlas("export", *words)
        assert (done.returncode, "segments want a FOLDER" in done.stderr) == (2, True)


def test_sync_both_ways(hosts: list[Path], tmp_path: Path) -> None:
    one, two = Host(tmp_path / "one"), Host(tmp_path / "two")
    for host, path in ((one, hosts[0]), (two, hosts[1])):
        host.folder.mkdir()
        assert host.atlas("merge", str(path)).returncode == 0
    shelf = str(tmp_path / "shelf")
    for host in (one, two, one):
        done = host.atlas("sync", shelf)
        assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"0 events and 0 blobs written to {shelf}\n")
    exports = [host.atlas("export", "--format", "jsonl").stdout for host in (one, two)]
    assert exports[0] == exports[1]


def test_checkpoint_and_audit_against_it(hosts: list[Path], tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.atlas("merge", str(hosts[0]))
    (tmp_path / "kept").write_text(host.atlas("checkpoint").stdout)
    assert host.atlas("audit", "chain", "--against", "kept").returncode == 0
    other = Host(tmp_path / "other")
    other.folder.mkdir()
    other.atlas("merge", str(hosts[1]))
    done = other.atlas("audit", "chain", "--against", "../kept", "--json")
    assert done.returncode == 1
    assert [row["fault"] for row in json.loads(done.stdout)] == ["removed origin"]
    assert other.atlas("audit", "chain", "--signers", "../kept").returncode == 2


def test_new_origin(tmp_path: Path) -> None:
    host = Host(tmp_path)
    assert host.atlas("init", "--new-origin").returncode == 3
    old = host.atlas("init").stdout.split()[-1]
    done = host.atlas("init", "--new-origin")
    assert f"(until now {old})" in done.stdout
    assert host.atlas("init").stdout.split()[-1] == done.stdout.split("origin ")[1].split()[0]
