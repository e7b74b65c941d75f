"""Collections that are killed at random: the bench's own log of calls tells what had ended."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from support.auditing import KNOWN, quick_audit
from support.processes import environment
from support.reference_audit import slow_audit
from support.toy import plainly

if TYPE_CHECKING:
    from pathlib import Path

RUNS = 4

# Says what it is called and what has ended, in a log of its own; its last output is its last act.
BENCH = """#!/bin/sh
call=$(wc -l <"$STANDIN_CALLS" | tr -d ' ')
echo "begin $call $$ $STANDIN_SESSION" >>"$STANDIN_CALLS"
cat >&2 <<OUTPUT
gpu: gfx1100
=== bench_qwen35_mq4 ===
PREFILL_SUMMARY  prefill_tok_s=776.0  prefill_wall_ms=41.2
SUMMARY  gen_tok_s=48.${call}1  bw_gib_s=211.4  prefill_tok_s=776.0  avg_ms=20.44  p50_ms=20.40
OUTPUT
echo "end $call $$ $STANDIN_SESSION" >>"$STANDIN_CALLS"
"""


@dataclass(slots=True)
class Sweep:
    """Counts of a kill sweep; ``lost`` and ``doubled`` have to be empty.

    Attributes:
        kills: processes ended by SIGKILL; ``survived`` were done before it came.
        ended: runs of the bench that ended; ``kept``: those of them that are in the ledger.
        grace: runs that ended so shortly before the kill that atlas had not yet seen their end.
    """

    kills: int = 0
    survived: int = 0
    ended: int = 0
    kept: int = 0
    grace: int = 0
    lost: list[int] = field(default_factory=list)
    doubled: list[int] = field(default_factory=list)
    faults: list[Any] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills ({self.survived} came too late): {self.ended} runs ended, "
            f"{self.kept} kept, {self.grace} unseen by atlas, "
            f"{len(self.lost)} lost, {len(self.doubled)} doubled, {len(self.faults)} faults"
        )


def kill_sweep(folder: Path, kills: int, seed: int = 1) -> Sweep:
    """Kill that many collections (each of `RUNS` runs) or drains on one ledger, at random times."""
    dice = random.Random(seed)
    bench = folder / "bench"
    bench.write_text(BENCH)
    bench.chmod(0o700)
    (folder / "model.mq4").write_bytes(b"model")
    sweep = Sweep()
    (folder / "calls").write_text("")
    span = _span(folder)
    dead: set[str] = set()
    while sweep.kills < kills:
        session = 1 + sweep.kills + sweep.survived
        after = dice.uniform(0.1, 0.9) * span
        killed = _one(folder, session, after, drain=dice.random() < 0.25)
        dead |= {str(session)} if killed else set()
        sweep.kills += killed
        sweep.survived += not killed
    _account(folder, sweep, dead)
    return sweep


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "atlas", "--ledger", "ledger/atlas.duckdb", *arguments]


def _collect() -> list[str]:
    return _command(
        "collect-ar",
        "--bench",
        "./bench",
        "--model",
        "model.mq4",
        "--prefill",
        "32",
        "--runs",
        str(RUNS),
        "--dpm-warmup-secs",
        "0",
    )


def _environment(folder: Path, session: int = 0) -> dict[str, str]:
    return environment(
        STANDIN_CALLS=str(folder / "calls"),
        STANDIN_SESSION=str(session),
        XDG_CACHE_HOME=str(folder / "cache"),
    )


def _span(folder: Path) -> float:
    """Seconds one whole collection takes here."""
    began = time.monotonic()
    subprocess.run(
        _collect(), cwd=folder, env=_environment(folder), check=True, capture_output=True
    )
    return time.monotonic() - began


def _one(folder: Path, session: int, after: float, *, drain: bool) -> bool:
    """Start one command and kill it after some time; whether it was still running."""
    command = _command("sql", "SELECT count(*) FROM events") if drain else _collect()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=_environment(folder, session),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(after * 0.4 if drain else after)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        _let_bench_end(folder)
    return process.returncode == -signal.SIGKILL


def _let_bench_end(folder: Path) -> None:
    """An orphaned bench may still be writing; its end is not one that atlas saw."""
    for _ in range(200):
        words = [line.split() for line in (folder / "calls").read_text().splitlines()]
        began = {word[2] for word in words if word[0] == "begin"}
        ended = {word[2] for word in words if word[0] == "end"}
        if not any(_alive(int(pid)) for pid in began - ended):
            return
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _account(folder: Path, sweep: Sweep, dead: set[str]) -> None:
    """Compare the bench's log of calls with what the ledger holds."""
    finished, unseen = _ended(folder / "calls", dead)
    subprocess.run(
        _command("sql", "SELECT 1"),
        cwd=folder,
        env=_environment(folder),
        check=True,
        capture_output=True,
    )
    with plainly(folder / "ledger" / "atlas.duckdb") as con:
        payloads = con.execute("SELECT payload FROM events WHERE kind = 'collection'").fetchall()
        measured = con.execute(
            "SELECT count(*) FROM measurement WHERE phase = 'decode_ar'"
        ).fetchall()[0][0]
        quick = quick_audit(con)
        sweep.faults = [one for one in quick if one[0] == "fault"]
        if quick != slow_audit(con, KNOWN):
            sweep.faults.append("the auditors disagree")
    kept = [_call_of(json.loads(payload)) for (payload,) in payloads]
    sweep.ended, sweep.kept = len(finished) + len(unseen), len(set(kept))
    sweep.grace = len(unseen - set(kept))
    sweep.lost = sorted(finished - set(kept))
    sweep.doubled = sorted({pid for pid in kept if kept.count(pid) > 1})
    if measured != len(kept):
        sweep.faults.append(f"{measured} measurements of {len(kept)} runs")


def _ended(calls: Path, dead: set[str]) -> tuple[set[int], set[int]]:
    """Runs whose end atlas saw, since it went on; and the last ones of collections that died."""
    by_session: dict[str, list[int]] = {}
    for line in calls.read_text().splitlines():
        word, call, _, session = line.split()
        if word == "end":
            by_session.setdefault(session, []).append(int(call))
    unseen = {ended[-1] for session, ended in by_session.items() if session in dead}
    return {call for ended in by_session.values() for call in ended} - unseen, unseen


def _call_of(payload: dict[str, Any]) -> int:
    """The number of the call, which the bench printed behind the point, before a 1."""
    rates = [
        entry["row"]["metrics"].get("gen_tok_s")
        for entry in payload["rows"]
        if entry["row"].get("phase") == "decode_ar"
    ]
    return int(str(rates[0]).partition(".")[2][:-1]) if rates else -1
