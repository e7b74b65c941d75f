"""Collectors that inspect code objects and search a source tree after each run."""

import json
import os
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from support.cli import Host

from atlas.cli.boundary import run

OBJECTS = Path(__file__).parents[2] / "data" / "isa" / "objects"
KERNEL = "gemv_hfq4g256_residual"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a stand-in bench, kernels it may have run, and a source tree."""
    text = files("atlas.demo").joinpath("data/bench_qwen35_mq4").read_text()
    (tmp_path / "bench").write_text(text.replace("fused_rmsnorm_mq_rotate", "rmsnorm_rotate"))
    (tmp_path / "bench").chmod(0o700)
    (tmp_path / "model").write_bytes(b"model")
    (tmp_path / "kernels").mkdir()
    for name in ("rmsnorm_rotate-gfx1100-O3.hsaco", "gemv_int4-gfx1201-O3.hsaco"):
        shutil.copy(OBJECTS / name, tmp_path / "kernels")
    source = tmp_path / "tree" / "kernels" / "src"
    source.mkdir(parents=True)
    (source / f"{KERNEL}.hip").write_text(f"__global__ void {KERNEL}() {{}}\n")
    monkeypatch.chdir(tmp_path)
    for name in [one for one in os.environ if one.startswith("HIPFIRE_")]:
        monkeypatch.delenv(name)
    return tmp_path


def collect(*words: str, code: int = 0) -> None:
    start = ["--ledger", "l.duckdb", "collect-ar", "--bench", "./bench", "--model", "model"]
    assert run([*start, "--prefill", "32", "--output", "rows.jsonl", *words]) == code


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert run(["--ledger", "l.duckdb", *words, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_rows_name_their_manifests_and_the_fit_view_finds_them(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ("--profile-decode", "--isa-dir", "kernels", "--isa-output", "isa.json")
    collect(*flags, "--dispatch-root", "tree", "--dispatch-output", "d.json", "--runs", "2")
    rows = [json.loads(line) for line in (bench / "rows.jsonl").read_text().splitlines()]
    named = [row["artifacts"]["isa"]["manifest_event"] for row in rows]
    assert len(rows) == 4
    assert len(set(named)) == 1, "what did not change is recorded once"
    assert rows[0]["artifacts"]["isa"]["object_count"] == 2
    fit = asked(capsys, "render-fit")["fit"]
    assert fit["scope"] == "profile-matched"
    assert fit["manifest_event"] == named[0]
    assert (fit["objects"], fit["matched"], fit["unmatched"]) == (
        *(1, 1),
        [KERNEL, "attention_flash_asym3"],
    )
    assert fit["hot"][0]["top_source"] == f"kernels/src/{KERNEL}.hip"
    counts = asked(capsys, "sql", "SELECT kind, count(*) AS n FROM events GROUP BY kind")
    assert {one["kind"]: one["n"] for one in counts} == {
        "collection": 2,
        "isa_object": 2,
        "isa_manifest": 1,
        "dispatch_manifest": 1,
    }
    assert json.loads((bench / "d.json").read_text())["entries"][0]["op"]["family"] == "linear"


def test_a_task_names_the_recorded_objects_of_its_kernel(bench: Path) -> None:
    text = (bench / "bench").read_text().replace("rmsnorm_rotate", "other")
    (bench / "bench").write_text(text.replace("gemv_hfq4g256_residual", "rmsnorm_rotate"))
    collect("--profile-decode", "--isa-dir", "kernels")
    assert run(["--ledger", "l.duckdb", "task", "latest", "--output-dir", "task"]) == 0
    told = json.loads((bench / "task" / "task.json").read_text())["hot_kernel"]["isa_objects"]
    assert [(one["arch"], len(one["kernels"])) for one in told] == [("gfx1100", 1)]
    assert told[0]["path"].endswith("rmsnorm_rotate-gfx1100-O3.hsaco")
    assert told[0]["kernels"][0]["name"] == "rmsnorm_rotate"
    assert told[0]["kernels"][0]["vgpr_count"] > 0


def test_exported_rows_find_their_manifest_files_elsewhere(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collect("--profile-decode", "--isa-dir", "kernels", "--isa-output", "isa.json")
    words = ("render-fit", "--row", "rows.jsonl", "--row-index", "1")
    assert asked(capsys, *words)["fit"]["scope"] == "profile-matched"
    (bench / "isa.json").write_text("{}")
    assert asked(capsys, *words)["fit"]["scope"] == "none"


def test_what_cannot_be_inspected_costs_no_run_its_event(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (bench / "kernels" / "bad.hsaco").write_bytes(b"\x7fELF")
    collect("--isa-dir", "kernels", "--isa-dir", "absent", "--dispatch-provenance")
    told = capsys.readouterr().err
    assert "bad.hsaco" in told
    assert "absent" in told
    assert "collect with a profile" in told
    found = asked(capsys, "sql", "SELECT DISTINCT code FROM findings")
    assert {one["code"] for one in found} >= {"dispatch_nothing", "unreadable"}
    assert len(asked(capsys, "query", "rows")) == 2


def test_what_was_asked_for_wrongly_is_said_before_the_first_run(bench: Path) -> None:
    collect("--isa-dir", "kernels", "--isa-filter", "(", code=2)
    collect("--dispatch-provenance", "--dispatch-root", "nowhere", code=2)
    assert not (bench / "rows.jsonl").exists()


def test_dispatch_without_names_takes_the_newest_profile(
    bench: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del bench
    collect("--profile-decode")
    manifest = asked(capsys, "dispatch", "--root", "tree")
    assert manifest["entries"][0]["name"] == KERNEL
    assert manifest["arch"] == "gfx1100"
    hot = asked(capsys, "render-fit")["fit"]["hot"]
    assert hot[0]["top_source"] == f"kernels/src/{KERNEL}.hip"
    named = asked(capsys, "dispatch", "nothing_like_it", "--root", "tree")
    assert named["entries"][0]["source_files"] == []
    assert asked(capsys, "render-fit")["fit"]["hot"][0]["top_source"]


def test_a_task_takes_its_places_from_the_manifest_of_its_row(host: Host, tmp_path: Path) -> None:
    tree = tmp_path / "tree" / "kernels" / "src"
    tree.mkdir(parents=True)
    (tree / "gemv_hfq4g256_residual.hip").write_text("void gemv_hfq4g256_residual() {}\n")
    words = ("--prefill", "32", "--profile-decode", "--dispatch-provenance")
    done = host.collect(*words, "--dispatch-root", str(tmp_path / "tree"))
    assert done.returncode == 0, done.stderr
    assert host.atlas("task", "latest", "--output-dir", "task").returncode == 0
    task = json.loads((host.folder / "task" / "task.json").read_text())
    (source,) = task["hot_kernel"]["source_files"]
    assert source["path"] == "kernels/src/gemv_hfq4g256_residual.hip"
    assert task["constraints"]["allowed_files"] == [source["path"]]
