"""Builds, tasks, evals and A/Bs of the sample: each in the form that its command records."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from support import evidence, fit, tries

from atlas.isa.scan import ScanOptions
from atlas.manifests.dispatch import dispatch_draft, scan
from atlas.manifests.isa import inspect
from ledger.envelope import Draft, seal
from ledger.observer import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

TASK_ID = "atlas-task-1"
HOST = "amber"
FOLDER_SHA = "ab" * 32
_DAY_US = 1_764_500_000_000_000
_OBJECTS = Path(__file__).parents[1] / "data" / "isa" / "objects"
_PLAIN = "gemv_int4-gfx1100-O3.hsaco"
_BUILDS = (_PLAIN, "gemv_int4-gfx1100-O0.hsaco", "bundle.hsaco", "ccob_v2_zstd.hsaco")
_SOURCE = 'launch("gemv_int4");\nif (getenv("HIPFIRE_GEMV")) launch("gemv_int4");\n'


def experiments(origin: str) -> tuple[list[Draft], dict[str, str]]:
    """Everything of the experiment loop, some of it resting on a run that is taken back.

    Returns:
        The drafts, and what is worth asking about: ids of a ``manifest``, an ``object_md5``, a
        ``profiled`` row, a ``run`` of an eval, rows ``a`` and ``b`` on both sides of a commit, a
        ``task``, a ``host``, and the ``contract`` of runs without a result.
    """
    builds = _inspected()
    manifest = seal(builds[-1], origin, 0).event_id
    md5 = builds[0].payload["md5"]
    profiled = _profiled(manifest, md5)
    steps, loop = _steps(), _loop(origin)
    row_id = _row_id(profiled[0])
    made = [*builds, *profiled, *steps, _scanned(row_id), _task(), *loop]
    return made, {
        "manifest": manifest,
        "object_md5": md5,
        "profiled": row_id,
        "run": seal(loop[0], origin, 0).event_id,
        "a": _row_id(steps[0]),
        "b": _row_id(steps[-1]),
        "task": TASK_ID,
        "host": HOST,
        "contract": "c",
    }


def _row_id(run: Draft) -> str:
    found: str = run.payload["rows"][0]["row_id"]
    return found


def _ids(drafts: Sequence[Draft], origin: str) -> list[str]:
    return [seal(draft, origin, 0).event_id for draft in drafts]


def _at(minute: int) -> int:
    return _DAY_US + minute * 60_000_000


def _inspected() -> list[Draft]:
    paths = [_OBJECTS / name for name in _BUILDS]
    drafts = inspect(paths, ScanOptions(), {}, SILENT).drafts("isa session", HOST)
    # The clock of the manifest is the only thing that is not the same every time.
    drafts[-1].payload["manifest"]["captured_at_utc"] = "2026-03-02T00:00:00Z"
    return [Draft(one.kind, one.payload, HOST, one.provenance, _at(0)) for one in drafts]


def _scanned(row_id: str) -> Draft:
    with TemporaryDirectory() as folder:
        (Path(folder) / "dispatch.cpp").write_text(_SOURCE)
        document = scan(Path(folder), ["gemv_int4"], arch="gfx1100")
    document |= {"root": "/src", "captured_at_utc": "2026-03-02T00:00:00Z"}
    made = dispatch_draft(document, "dispatch session", HOST, row_id)
    return Draft(made.kind, made.payload, HOST, made.provenance, _at(1))


def _profiled(manifest: str, md5: str) -> list[Draft]:
    """Rows with a profile: one names its manifest, one only its folder of code objects."""
    profile = [fit.hot("gemv_int4", 60.0), fit.hot("apply_polynomial", 30.0)]
    named = {"isa": {"manifest_event": manifest}}
    entries = [[_PLAIN, md5]]
    return [
        evidence.run("profiled", 90.0, 30, profile_kernels=profile, artifacts=named),
        evidence.run(
            "by folder", 91.0, 31, profile_kernels=profile, code_objects=FOLDER_SHA, entries=entries
        ),
    ]


def _steps() -> list[Draft]:
    """A workload that got slower with a commit."""
    before = evidence.series("before", [100.0, 100.2, 99.9, 100.1], 60)
    changed = {"git_sha": "9b41" + "2" * 36, "binary_md5": "c2" + "0" * 30}
    return [*before, *evidence.series("after", [90.0, 90.2, 89.9, 90.1], 80, **changed)]


def _task() -> Draft:
    document = {
        "schema": "hipfire.kernel_atlas.task.v0",
        "task_id": TASK_ID,
        "created_at_utc": "2026-03-02T02:00:00Z",
        "producer": {"kind": "row"},
        "target": {**tries.TARGET, "host": HOST, "model_size": "9b"},
        "hot_kernel": {"name": "gemv_int4"},
        "baseline": {"env": {}},
        "experiment": {"title": "fewer spills", "lever_type": "source_sweep"},
        "constraints": {"allowed_files": ["kernels/gemv.hip"]},
        "cut": {"git_sha": evidence.SHA},
        "eval": {"metric": "score", "goal": "maximize", "benchmark_command": '["./probe"]'},
    }
    payload = {"session_id": "task session", "document": document}
    return Draft("task", payload, HOST, recorded_us=_at(120))


def _baseline(parts: list[str]) -> Draft:
    document = {
        "schema": "hipfire.kernel_atlas.baseline.v0",
        "task_id": TASK_ID,
        "experiment_id": "base",
        "captured_at_utc": "2026-03-02T02:10:00Z",
        "metric": "score",
        "goal": "maximize",
        "metrics": {"score": 100.05},
        "stability": {"status": "stable", "rel_spread": 0.003},
        "run_count": 4,
        "weak": False,
        "side": {"samples": tries.BASE, "host": HOST, "device": {"arch": "gfx1100"}},
        "provenance": {"git_sha": evidence.SHA, "git_state": "clean"},
    }
    payload = {"session_id": "session of base", "runs": parts, "document": document}
    return Draft("baseline", payload, HOST, recorded_us=_at(135))


def _loop(origin: str) -> list[Draft]:
    base = tries.runs("base", tries.BASE, 130, arm="baseline")
    better = tries.runs("eval", tries.BETTER, 140, binary_md5="d3" + "0" * 30)
    sides = [
        *tries.runs("graph", tries.BASE, 150, kind="graph_ab", arm="graph_off"),
        *tries.runs("graph", tries.BETTER, 160, kind="graph_ab", arm="graph_on"),
    ]
    lost = tries.runs("shaken", tries.BETTER, 180)
    gone = Draft(
        "retraction", {"target": _ids(lost, origin)[0], "why": "throttled"}, HOST, {}, _at(190)
    )
    return [
        *base,
        _baseline(_ids(base, origin)),
        *better,
        tries.result("eval", 145, _ids(better, origin), baseline={"source": "task"}),
        *sides,
        tries.graph_ab("graph", 170, _ids(sides, origin)),
        tries.graph_ab("itself", 175, [], **_aa()),
        *lost,
        tries.result("shaken", 185, _ids(lost, origin)),
        gone,
        *tries.runs("unfinished", tries.BASE[:2], 200),
    ]


def _aa() -> dict[str, Any]:
    side = {"host": HOST, "device": {"arch": "gfx1100", "device_index": 0}, "binary_kind": "elf"}
    return {
        "schema": "hipfire.kernel_atlas.ab.v0",
        "aa": True,
        "factor": "aa",
        "verdict": {"verdict": "equivalent", "ratio": 1.0, "grade": "interleaved"},
        "sides": {
            "a": side | {"samples": tries.BASE},
            "b": {"samples": [100.1, 100.0, 100.0, 100.2]},
        },
    }
