"""Ingest: what people have becomes events, once, and comes out again as it came in."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.cli import BENCH, Host

V0 = {
    "schema": "hipfire.kernel_atlas.v0",
    "captured_at_utc": "2026-05-01T12:00:00Z",
    "arch": "gfx1151",
    "hostname": "strix",
    "git_sha": "3f2a9c1",
    "phase": "decode_ar",
    "workload": "qwen3.5",
    "workload_kind": "ar",
    "model": {"path": "/models/q.mq4", "md5": "0123456789abcdef0123456789abcdef"},
    "provenance": {
        "binary_path": "/b",
        "binary_md5": "f" * 32,
        "git_dirty": False,
        "diff_md5": None,
    },
    "command": ["bench", "/models/q.mq4"],
    "variant": {"env": {"HIPFIRE_KV_MODE": "asym3"}},
    "status": "ok",
    "model_size": "9b",
    "quant": "mq4",
    "shape_bucket": "decode_ar_pp32_gen50",
    "run_index": 0,
    "metrics": {"gen_tok_s": 42.90, "avg_ms": 23.22, "bw_gib_s": 1.5e2},
    "artifacts": {"profile_kernels": []},
    "tags": ["x"],
    "stderr_tail": "é µ\n",
    "future": {"nested": [None, 10254263892362831541]},
}
EMITTED = {
    "schema": "hipfire.kernel_atlas.v0",
    "phase": "prefill",
    "workload_kind": "ar",
    "model_size": "",
    "quant": "",
    "shape_bucket": "",
    "run_index": None,
    "captured_at_unix_s": 1777636800,
    "metrics": {
        "prefill_tok_s": 776.5,
        "prefill_tokens": 32,
        "kv_mode": "Asym3",
        "arch": "gfx1100",
        "model_path": "/m/q.mq4",
        "model_bytes": 2480343552,
    },
    "artifacts": {},
}


def write(host: Host, name: str, text: str | bytes) -> str:
    path = host.folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def exported(host: Host) -> list[Any]:
    done = host.atlas("export", "--format", "v0-jsonl")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("form", "name"),
    [
        (lambda rows: "\n".join(map(json.dumps, rows)) + "\n", "rows.jsonl"),
        (lambda rows: json.dumps(rows, indent=2), "rows.json"),
        (lambda rows: "\ufeff" + "\r\n".join(map(json.dumps, rows)), "bom.jsonl"),
    ],
)
def test_rows_of_both_producers_come_out_as_they_came_in(host: Host, form: Any, name: str) -> None:
    path = write(host, name, form([V0, EMITTED]))
    assert host.atlas("ingest", path).returncode == 0
    assert exported(host) == [V0, EMITTED]


def test_one_pretty_document_is_one_row(host: Host) -> None:
    path = write(host, "row.json", json.dumps(V0, indent=4))
    assert host.json("ingest", path)[0]["what"] == "v0 row"
    assert exported(host) == [V0]


def test_fields_of_the_second_producer_are_derived_from_its_metrics(host: Host) -> None:
    host.atlas("ingest", write(host, "e.json", json.dumps(EMITTED)))
    (row,) = host.sql(
        "SELECT arch, kv_mode, model_path, model_bytes, shape_bucket, quant, captured_us, value"
        " FROM rows"
    )
    assert row == {
        "arch": "gfx1100",
        "kv_mode": "asym3",
        "model_path": "/m/q.mq4",
        "model_bytes": 2480343552,
        "shape_bucket": "pp32",
        "quant": None,
        "captured_us": 1777636800000000,
        "value": 776.5,
    }


def test_the_same_again_adds_nothing_and_says_so(host: Host) -> None:
    path = write(host, "rows.jsonl", json.dumps(V0) + "\n" + json.dumps(EMITTED) + "\n")
    first, second = host.atlas("ingest", path), host.atlas("ingest", path)
    assert "events: 2 new, 0 known already" in first.stdout
    assert second.returncode == 0
    assert "nothing new" in second.stdout
    assert host.sql("SELECT count(*) AS n FROM events") == [{"n": 2}]


def test_the_same_row_in_two_files_is_two_events_and_one_row(host: Host) -> None:
    host.atlas("ingest", write(host, "a.json", json.dumps(V0)))
    host.atlas("ingest", write(host, "b.json", json.dumps(V0, indent=1)))
    assert host.sql("SELECT count(*) AS n FROM events") == [{"n": 2}]
    (row,) = host.sql("SELECT len(sources) AS n FROM rows")
    assert row == {"n": 2}


def test_a_broken_line_is_named_and_the_rest_is_kept(host: Host) -> None:
    text = json.dumps(V0) + "\n{broken\n" + json.dumps(EMITTED) + "\n"
    done = host.atlas("ingest", write(host, "rows.jsonl", text))
    assert done.returncode == 2
    assert "rows.jsonl: line 2: broken at byte 1" in done.stderr
    assert host.sql("SELECT count(*) AS n FROM rows") == [{"n": 2}]


def test_a_truncated_document_is_refused_with_its_offset(host: Host) -> None:
    bad = write(host, "cut.json", '{"configs": {')
    good = write(host, "good.json", json.dumps(V0))
    done = host.atlas("ingest", bad, good)
    assert done.returncode == 2
    assert "cut.json: JSON truncated at byte 13" in done.stderr
    assert host.sql("SELECT count(*) AS n FROM events") == [{"n": 1}]


def test_secrets_are_replaced_before_anything_is_kept(host: Host) -> None:
    row = V0 | {"variant": {"env": {"HF_TOKEN": "sesame"}}, "command": ["env", "A_KEY=sesame", "b"]}
    host.atlas("ingest", write(host, "r.json", json.dumps(row)))
    host.atlas("ingest", write(host, "l.log", BENCH_LOG + "HF_TOKEN=sesame\n"))
    kept = b"".join(
        path.read_bytes() for path in host.folder.glob("atlas.duckdb*") if path.is_file()
    )
    assert b"sesame" not in kept
    (out,) = exported(host)[:1]
    assert out["variant"]["env"]["HF_TOKEN"] == "***"
    assert out["command"] == ["env", "A_KEY=***", "b"]
    codes = {row["code"] for row in host.sql("SELECT code FROM findings")}
    assert "redacted" in codes
    assert "sesame" not in host.atlas("show", log_event(host), "--raw").stdout


BENCH_LOG = """=== bench_qwen35_mq4 ===
Model: m.mq4
Phases: prefill=32 prefill_runs=1 warmup=5 gen=50
GPU: gfx1100
KV mode: asym3
SUMMARY  gen_tok_s=48.5  bw_gib_s=211.4  prefill_tok_s=776.5  avg_ms=20.44  p50_ms=20.40
"""


def log_event(host: Host) -> str:
    (row,) = host.sql("SELECT event_id FROM recording WHERE adapter = 'log'")
    return str(row["event_id"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_logs_are_read_in_any_encoding_and_kept_whole(host: Host, encoding: str) -> None:
    data = BENCH_LOG.replace("\n", "\r\n").encode(encoding)
    if encoding == "utf-16-be":
        data = b"\xfe\xff" + data
    assert host.atlas("ingest", write(host, "run.log", data)).returncode == 0
    rows = host.sql("SELECT phase, value, arch, host FROM rows ORDER BY phase")
    assert rows == [
        {"phase": "decode_ar", "value": 48.5, "arch": "gfx1100", "host": "unknown"},
        {"phase": "prefill", "value": 776.5, "arch": "gfx1100", "host": "unknown"},
    ]
    assert host.sql("SELECT n_bytes FROM blobs") == [{"n_bytes": len(data)}]


def test_what_is_not_understood_is_kept_whole_and_said(host: Host) -> None:
    done = host.json("ingest", write(host, "notes.txt", "the moon is made of cheese\n"))
    assert done[0]["findings"] == "not_understood"
    raw = host.atlas("show", host.sql("SELECT event_id FROM events")[0]["event_id"], "--raw")
    assert raw.stdout == "the moon is made of cheese\n"


def test_manifests_and_results_are_kept_as_documents(host: Host) -> None:
    manifest = {"schema": "hipfire.kernel_atlas.isa.v0", "arch": "gfx1100", "objects": []}
    line = {
        "task_id": "t", "captured_at_utc": "x", "status": "pass", "metric": "m",
        "baseline_source": "task",
    }  # fmt: skip
    host.atlas("ingest", write(host, "m.json", json.dumps(manifest)))
    host.atlas(
        "ingest", write(host, "ledger.jsonl", json.dumps(line) + "\n" + json.dumps(line) + "\n")
    )
    kinds = host.sql("SELECT kind, count(*) AS n FROM events GROUP BY kind ORDER BY kind")
    assert kinds == [{"kind": "eval", "n": 2}, {"kind": "isa_manifest", "n": 1}]


def test_a_phase_outside_the_contract_is_kept_and_quarantined(host: Host) -> None:
    row = V0 | {"phase": "decode", "metrics": {"isa_fingerprint": 10254263892362831541}}
    report = host.json("ingest", write(host, "r.json", json.dumps(row)))
    assert report[0]["findings"] == "phase_unknown"
    assert host.sql("SELECT status FROM rows") == [{"status": "quarantined"}]
    assert exported(host) == [row]


@pytest.mark.parametrize(
    "row",
    [
        {"phase": None},
        {"metrics": [1, 2]},
        {"model": "a path"},
        {"artifacts": {"profile_kernels": "none"}},
        {"variant": {"env": ["A=1"]}},
        {"captured_at_utc": "yesterday"},
        {"run_index": 2**70},
        {"git_sha": "not hex", "tags": "cold"},
        {"metrics": {"gen_tok_s": "NaN"}},
    ],
)
def test_odd_rows_are_kept_and_block_nothing(host: Host, row: dict[str, Any]) -> None:
    odd = V0 | row
    done = host.atlas("ingest", write(host, "odd.jsonl", f"{json.dumps(odd)}\n{json.dumps(V0)}\n"))
    assert done.returncode == 0, done.stderr
    assert exported(host) == [odd, V0]
    assert host.sql("SELECT count(*) AS n FROM rows") == [{"n": 2}]
    assert host.atlas("audit", "facts").returncode == 0


def test_errors_of_the_older_tool_are_error_records(host: Host) -> None:
    row = {
        "schema": "hipfire.kernel_atlas.v0", "phase": "ar", "status": "error", "hostname": "h",
        "workload": "qwen3.5", "workload_kind": "ar", "stderr_tail": "hipErrorOutOfMemory",
    }  # fmt: skip
    host.atlas("ingest", write(host, "r.json", json.dumps(row)))
    (error,) = host.json("query", "errors")
    assert (error["phase"], error["message"]) == ("ar", "hipErrorOutOfMemory")
    assert host.sql("SELECT count(*) AS n FROM rows") == [{"n": 0}]


def test_files_that_are_not_for_ingest_are_refused_by_name(host: Host) -> None:
    paths = [
        write(host, "k.hsaco", b"\x7fELF" + bytes(60)),
        write(host, "z.gz", b"\x1f\x8b" + bytes(20)),
        write(host, "empty.log", b""),
        str(host.folder / "missing.log"),
    ]
    done = host.atlas("ingest", *paths)
    assert done.returncode == 2
    for said in ("`atlas isa` reads those", "unpack it first", "empty", "No such file"):
        assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_is_walked_without_ledgers_and_hidden_folders(host: Host) -> None:
    folder = host.folder / "data"
    (folder / ".git").mkdir(parents=True)
    (folder / "a" / "b").mkdir(parents=True)
    (folder / ".git" / "x.json").write_text(json.dumps(V0))
    (folder / "a" / "b" / "r.json").write_text(json.dumps(V0))
    (folder / "x.duckdb").write_bytes(b"not looked at")
    reports = host.json("ingest", str(folder))
    assert [Path(report["file"]).name for report in reports] == ["r.json"]


def test_a_large_ingest_is_drained_while_it_is_read(host: Host) -> None:
    rows = (json.dumps(V0 | {"run_index": number}) for number in range(12_000))
    done = host.atlas("ingest", write(host, "many.jsonl", "\n".join(rows)))
    assert done.returncode == 0, done.stderr
    assert "events: 12000 new" in done.stdout
    assert host.sql("SELECT count(*) AS n FROM rows") == [{"n": 12_000}]
    assert host.atlas("audit", "chain").returncode == 0


def test_reparse_supersedes_and_a_second_one_adds_nothing(host: Host) -> None:
    host.atlas("ingest", write(host, "run.log", BENCH_LOG))
    host.collect("--prefill", "32")
    before = host.sql("SELECT row_id FROM rows ORDER BY row_id")
    first, second = host.json("reparse", "--all"), host.json("reparse", "--all")
    assert (first[0]["read again"], first[0]["new"]) == (2, 2)
    assert second[0]["new"] == 0
    assert host.sql("SELECT row_id FROM rows ORDER BY row_id") == before
    standing = host.sql("SELECT standing, count(*) AS n FROM event_log GROUP BY ALL ORDER BY ALL")
    assert standing == [{"standing": "ok", "n": 2}, {"standing": "superseded", "n": 2}]


def test_parse_shows_what_is_read_and_writes_nothing(host: Host) -> None:
    path = write(host, "run.log", BENCH_LOG)
    done = host.atlas("parse", "bench", path)
    assert done.returncode == 0
    phases = [one["phase"] for one in json.loads(done.stdout)["segments"][0]["observations"]]
    assert phases == ["prefill", "decode_ar"]
    assert not host.ledger.exists()
    nothing = host.atlas("parse", "bench", write(host, "x.log", "nothing here\n"))
    assert nothing.returncode == 1
    assert host.atlas("parse", "dflash", "missing").returncode == 2
    assert BENCH.exists()
