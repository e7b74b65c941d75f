"""One ledger with something of everything, friendly and hostile, for tests of the query files."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from support.sample_experiments import experiments

from ledger.envelope import Draft
from ledger.outbox import mint_origin
from ledger.store import Ledger
from queries.catalog import Catalog

if TYPE_CHECKING:
    from pathlib import Path

BODY = b"gpu: gfx1100\nSUMMARY  gen_tok_s=48.1\n"
BODY_SHA = hashlib.sha256(BODY).hexdigest()
ORIGIN = "11111111-2222-4333-8444-555555555555"
START_US = 1_700_000_000_000_000

KERNELS = [
    {"name": name, "calls": 10 + n, "total_ms": 5.5 * n, "avg_us": 50.0, "pct": 10.0, "gib_s": None}
    for n, name in enumerate(["gemv_q8_0", "gemm_q8_0_wmma", "rmsnorm_f32", "gemv_q8_0"], start=1)
]
SILENT = [{"name": "mystery_kernel", "calls": 3, "total_ms": n, "pct": 2.0} for n in (1.0, 1.0)]


def row(**changes: Any) -> dict[str, Any]:
    """A v0 row that is evidence, but for what is changed."""
    return {
        "captured_at_utc": "2026-01-02T03:04:05Z",
        "arch": "gfx1100",
        "hostname": "kaveri",
        "git_sha": "ab12cd34ef",
        "phase": "decode_ar",
        "workload": "qwen3.5",
        "workload_kind": "ar",
        "quant": "mq4",
        "model_size": "4b",
        "shape_bucket": "decode_ar_pp32_gen50",
        "run_index": 0,
        "metrics": {"gen_tok_s": 48.1, "p50_ms": 20.4},
        "model": {"path": "m.mq4", "md5": "a" * 32, "bytes": 5},
        "provenance": {"git_dirty": False, "binary_md5": "b" * 32, "binary_path": "bench"},
        "variant": {"env": {"HIPFIRE_KV_MODE": "asym3"}},
    } | changes


def entry(number: int, **changes: Any) -> dict[str, Any]:
    """A row with its identity."""
    sha = hashlib.sha256(str(number).encode()).hexdigest()
    known = {"row_id": sha[:16], "content_sha256": sha, "run_id": f"run {number}", "status": "ok"}
    return known | {"row": row(**changes)}


def imported(ordinal: int, rows: Any, name: str = "rows.jsonl", **more: Any) -> Draft:
    source = {
        "file_sha256": hashlib.sha256(name.encode()).hexdigest(),
        "ordinal": ordinal,
        "adapter": "v0-jsonl",
        "adapter_version": 1,
        "name": name,
    }
    return Draft("ingest", {"source": source, "rows": rows, **more}, "kaveri", {}, _later())


def measured(number: int, **changes: Any) -> Draft:
    """A run made here, with raw output, a finding and profiles."""
    artifacts = {"profile_kernels": KERNELS, "blindspot_kernels": SILENT, "kv_mode": "asym3"}
    metrics = {
        "gen_tok_s": 48.0 + number / 10,
        "prefill_tok_s": 776.0,
        "rocprof_coverage_pct": 80.0,
    }
    payload = {
        "session_id": "session 1",
        "run": {
            "run_id": f"run {number}",
            "program": "bench",
            "command": ["bench"],
            "exit_code": 0,
        },
        "rows": [
            entry(number, run_index=number, metrics=metrics, artifacts=artifacts, **changes),
            entry(number + 1000, phase="prefill", shape_bucket="pp32", metrics=metrics),
        ],
        "parser": {"name": "outputs", "version": 1},
        "output": {"stderr": {"sha256": BODY_SHA, "n_bytes": len(BODY)}},
        "findings": [{"code": "metric_not_finite", "message": "nan", "where": "line 3"}] * 2,
        "context": {"git": {"root": "/src/hipfire"}},
        "identity": {"git": {"sha": "ab12cd34ef"}},
    }
    provenance = {"git_sha": "ab12cd34ef", "arch": "gfx1100", "binary_md5": "b" * 32}
    return Draft("collection", payload, "kaveri", provenance, _later())


_clock = [START_US]


def _later() -> int:
    _clock[0] += 1_000_000
    return _clock[0]


def failed() -> Draft:
    records = [
        {
            "status": "error",
            "row": row(phase="ar", reason="timeout", message="600 s", status="error"),
        }
    ]
    run = {"exit_code": None, "signal": "SIGKILL", "timed_out": True, "command": ["bench"]}
    return Draft(
        "collection", {"rows": records * 2, "run": run, "session_id": "s"}, "kaveri", {}, _later()
    )


HOSTILE: list[Any] = [
    None,
    "rows",
    5,
    {},
    [None, 5, "x", [], {}],
    [{"row": None}, {"row": 5}, {"row": []}, {"row": {}}],
    [{"row": row(metrics=5, model=[], provenance="x", variant=None, artifacts=7)}],
    [{"row": row(metrics={"gen_tok_s": "NaN", "prefill_tok_s": "Infinity", "tau": "", "x": {}})}],
    [{"row": row(metrics={"gen_tok_s": 1e308}, captured_at_utc="never", captured_at_unix_s=1e300)}],
    [{"row": row(captured_at_utc=None, captured_at_unix_s="NaN", run_index=10**30)}],
    [{"row": row(git_sha="'; DROP TABLE events; --", arch="\u001b[31m", hostname="\u0000")}],
    [{"row": row(phase=None, tags="cold"), "why": "x", "row_id": ""}],
    [{"row": row(artifacts={"profile_kernels": [None, 5, {"name": "k", "total_ms": "NaN"}]})}],
]


def drafts() -> list[Draft]:
    """Something of everything."""
    known_twice = entry(1)
    made = [measured(number) for number in range(4)]
    made += [measured(10 + n, git_sha="ffffffff0", hostname="raven") for n in range(2)]
    made += [failed(), failed()]
    made += [
        imported(0, [entry(2000), entry(2000), entry(2001, phase="other")]),
        imported(1, [known_twice]),
        imported(0, [known_twice], name="again.jsonl"),
    ]
    made += [imported(n, rows, name="hostile.jsonl") for n, rows in enumerate(HOSTILE)]
    kinds = ("isa_object", "isa_manifest", "dispatch_manifest", "task", "eval_run", "eval")
    for kind in (*kinds, "baseline", "ab", "from_the_future"):
        source = {"file_sha256": "e" * 64, "ordinal": 0, "adapter": kind, "adapter_version": 1}
        for document in ({}, {"name": "x"}, 5, None):
            made.append(
                Draft(kind, {"source": source, "document": document}, "kaveri", {}, _later())
            )
    made.append(Draft("collection", {"rows": []}, version=9, recorded_us=_later()))
    return made


def sample_ledger(path: Path) -> tuple[Ledger, dict[str, str]]:
    """A ledger of `drafts`, of later words about them, and of a branch set aside.

    Returns:
        The ledger, and ids worth asking about: ``event``, ``row``, ``retracted``, and those of
        `experiments`.
    """
    ledger = Ledger(path, Catalog())
    mint_origin(ledger.place, ORIGIN)
    ids = ledger.record(drafts(), {BODY_SHA: BODY}).event_ids
    made, known = experiments(ORIGIN)
    ledger.record(made)
    again = {
        "supersedes": ids[3],
        "parser": {"name": "outputs", "version": 2},
        "rows": [entry(3, metrics={"gen_tok_s": 99.0})],
        "source": {"file_sha256": BODY_SHA, "ordinal": 2, "adapter": f"reparse/{ids[3]}"},
    }
    words = [Draft("reparse", again, "kaveri", {}, _later())]
    words += [
        Draft("retraction", {"target": ids[n], "why": "wrong"}, "", {}, _later()) for n in (2, 2)
    ]
    for disposition in ("rejected", "measured", "nonsense"):
        payload = {"target": entry(1)["row_id"], "disposition": disposition, "why": "seen"}
        words.append(Draft("annotation", payload, "kaveri", {}, _later()))
    ledger.record(words)
    ledger.drain(wait=True)
    _set_aside(ledger)
    return ledger, known | {"event": ids[0], "row": entry(1)["row_id"], "retracted": ids[2]}


def _set_aside(ledger: Ledger) -> None:
    """Another branch of the last events: same places, other identities but for the last one."""
    import duckdb

    with duckdb.connect(str(ledger.place.file)) as con:
        con.execute(
            "INSERT INTO conflicts SELECT * REPLACE (md5(event_id) AS event_id) FROM events"
            " WHERE seq - (SELECT max(seq) FROM events) IN (-2, -1)"
        )
        con.execute(
            "INSERT INTO conflicts SELECT * REPLACE (sha256(hash) AS hash) FROM events"
            " WHERE seq = (SELECT max(seq) FROM events)"
        )
    ledger.rebuild()
