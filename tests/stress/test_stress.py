"""The big numbers: ``make stress`` runs them all, the suite a small part."""

import os
import shutil
from pathlib import Path

import pytest
from support.auditing import audit_mutants, sound_ledger
from support.kill_sweep import EVENTS_OF_OTHER, OTHERS, kill_sweep
from support.toy import plainly

FULL = os.environ.get("ATLAS_STRESS") == "1"
KILLS = 200 if FULL else 20
MUTANTS = 10_000 if FULL else 100  # tests/ledger/test_tampering.py has 500 more


def say(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        print(f"\n{text}")  # noqa: T201 - the counts are what a stress run is for


def test_no_run_that_ended_is_lost_or_doubled_by_kills(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep = kill_sweep(tmp_path, KILLS)
    say(capsys, str(sweep))
    assert sweep.kills == KILLS
    assert (sweep.lost, sweep.doubled, sweep.faults) == ([], [], [])
    assert sweep.merged == OTHERS * EVENTS_OF_OTHER
    assert sweep.kept >= sweep.ended - sweep.grace > 0


def test_both_auditors_agree_on_many_mutants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = sound_ledger(tmp_path)
    copy = Path(shutil.copy(sound, tmp_path / "mutants.duckdb"))
    with plainly(copy) as con:
        tally = audit_mutants(con, range(10_000, 10_000 + MUTANTS))
    say(capsys, f"{tally.made} mutants: {tally.shown} showed, {len(tally.disagreed)} disagreements")
    assert tally.disagreed == []
    assert tally.made == MUTANTS
    assert tally.shown > 0.8 * MUTANTS
