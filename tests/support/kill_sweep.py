"""Commands that are killed at random: collections, drains, merges, and the making of ledgers.

The bench's own log of calls tells which runs had ended; the other hosts tell what a merge brings.
"""

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

from ledger.envelope import Draft
from ledger.outbox import known_origin
from ledger.store import Ledger
from queries.catalog import Catalog

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
        merged: events of other hosts that are there after a last, undisturbed merge.
        by_command: kills of each command.
    """

    kills: int = 0
    survived: int = 0
    ended: int = 0
    kept: int = 0
    grace: int = 0
    merged: int = 0
    by_command: dict[str, int] = field(default_factory=dict)
    lost: list[int] = field(default_factory=list)
    doubled: list[int] = field(default_factory=list)
    faults: list[Any] = field(default_factory=list)

    def __str__(self) -> str:
        of = ", ".join(f"{count} of {what}" for what, count in self.by_command.items())
        return (
            f"{self.kills} kills ({of}; {self.survived} came too late): {self.ended} runs ended, "
            f"{self.kept} kept, {self.grace} unseen by atlas, {len(self.lost)} lost, "
            f"{len(self.doubled)} doubled; {self.merged} events merged; {len(self.faults)} faults"
        )


OTHERS = 5
"""Other hosts, whose ledgers are merged again and again, whole or not at all."""
EVENTS_OF_OTHER = 400


def kill_sweep(folder: Path, kills: int, seed: int = 1) -> Sweep:
    """Kill that many commands on one ledger at random times.

    Most are collections of `RUNS` runs; the others drain, merge another host's ledger, or make a
    new ledger elsewhere.
    """
    dice = random.Random(seed)
    bench = folder / "bench"
    bench.write_text(BENCH)
    bench.chmod(0o700)
    (folder / "model.mq4").write_bytes(b"model")
    (folder / "calls").write_text("")
    for number in range(OTHERS):
        _make_other(folder, number)
    sweep = Sweep()
    spans = {what: _span(folder, words) for what, words in _actions(folder, 0).items()}
    dead: set[str] = set()
    while sweep.kills < kills:
        session = 1 + sweep.kills + sweep.survived
        what = dice.choices(list(spans), (5, 2, 2, 1))[0]
        after = dice.uniform(0.1, 0.9) * spans[what]
        killed = _one(folder, session, _actions(folder, session)[what], after)
        dead |= {str(session)} if killed else set()
        sweep.kills += killed
        sweep.survived += not killed
        sweep.by_command[what] = sweep.by_command.get(what, 0) + killed
    _account(folder, sweep, dead)
    _account_made(folder, sweep)
    return sweep


def _actions(folder: Path, session: int) -> dict[str, list[str]]:
    return {
        "collect": _collect(),
        "drain": _command("sql", "SELECT count(*) FROM events"),
        "merge": _command("merge", str(_other(folder, session % OTHERS).place.file)),
        "init": [sys.executable, "-m", "atlas", "init", f"made-{session}/atlas.duckdb"],
    }


def _other(folder: Path, number: int) -> Ledger:
    return Ledger(folder / f"other-{number}" / "atlas.duckdb", Catalog())


def _make_other(folder: Path, number: int) -> None:
    other = _other(folder, number)
    other.record(
        [
            Draft("annotation", {"target": f"{number}-{nth}", "disposition": "noted", "why": "x"})
            for nth in range(EVENTS_OF_OTHER)
        ]
    )
    other.drain()


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


def _span(folder: Path, command: list[str]) -> float:
    """Seconds one whole command takes here."""
    began = time.monotonic()
    subprocess.run(command, cwd=folder, env=_environment(folder), check=True, capture_output=True)
    return time.monotonic() - began


def _one(folder: Path, session: int, command: list[str], after: float) -> bool:
    """Start one command and kill it after some time; whether it was still running."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=_environment(folder, session),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(after)
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
    _span(folder, _command("sql", "SELECT 1"))
    before = _of_others(folder)
    if any(count % EVENTS_OF_OTHER for count in before.values()):
        sweep.faults.append(f"a merge took a part of a ledger: {before}")
    others = [str(_other(folder, number).place.file) for number in range(OTHERS)]
    _span(folder, _command("merge", *others))
    sweep.merged = sum(_of_others(folder).values())
    with plainly(folder / "ledger" / "atlas.duckdb") as con:
        payloads = con.execute("SELECT payload FROM events WHERE kind = 'collection'").fetchall()
        measured = con.execute(
            "SELECT count(*) FROM measurement WHERE phase = 'decode_ar'"
        ).fetchall()[0][0]
        quick = quick_audit(con)
        sweep.faults += [one for one in quick if one[0] == "fault"]
        if quick != slow_audit(con, KNOWN):
            sweep.faults.append("the auditors disagree")
    kept = [_call_of(json.loads(payload)) for (payload,) in payloads]
    sweep.ended, sweep.kept = len(finished) + len(unseen), len(set(kept))
    sweep.grace = len(unseen - set(kept))
    sweep.lost = sorted(finished - set(kept))
    sweep.doubled = sorted({pid for pid in kept if kept.count(pid) > 1})
    if measured != len(kept):
        sweep.faults.append(f"{measured} measurements of {len(kept)} runs")


def _of_others(folder: Path) -> dict[str, int]:
    """How many events of each other host are in the ledger."""
    origins = [known_origin(_other(folder, number).place) for number in range(OTHERS)]
    with plainly(folder / "ledger" / "atlas.duckdb") as con:
        rows = con.execute("SELECT origin, count(DISTINCT event_id) FROM events GROUP BY origin")
        return {origin: count for origin, count in rows.fetchall() if origin in origins}


def _account_made(folder: Path, sweep: Sweep) -> None:
    """A ledger whose making was killed is made by the next command."""
    for made in sorted(folder.glob("made-*")):
        ledger = Ledger(made / "atlas.duckdb", Catalog())
        ledger.record([Draft("annotation", {"target": "x", "disposition": "noted"})])
        with ledger.reader() as reader:
            if reader.ask("SELECT count(*) FROM annotation").rows != [(1,)]:
                sweep.faults.append(f"{made.name} lost its event")


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
