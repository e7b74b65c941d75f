import sys
from pathlib import Path

import duckdb
import pytest
from support.attempts import write_attempts

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from calibration import calibrate, describe  # noqa: E402 - a script's folder is put on the path

REAL = ROOT.parent / "shared/cases/ab/ab_runs.jsonl"


def within_bounds(counts: dict[str, int]) -> bool:
    return (
        counts["claims_beyond"] <= 0.01 * counts["pairs"]
        and counts["claims"] <= 0.055 * counts["pairs"]
        and counts["separated_claimed"] == counts["separated"]
    )


def test_real_attempts_are_judged_within_the_bounds(macros: duckdb.DuckDBPyConnection) -> None:
    if not REAL.exists():
        pytest.skip(f"no real A/B attempts at {REAL}")
    counts = calibrate(macros, REAL)
    print(describe(counts))  # noqa: T201 - the measured rates are worth reading
    assert (counts["series"], counts["pairs"], counts["separated"]) == (86, 1014, 35)
    assert within_bounds(counts)
    assert round(100 * counts["plain_wrong"] / counts["pairs"]) == 32


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_generated_attempts_are_judged_within_the_bounds(
    macros: duckdb.DuckDBPyConnection, tmp_path: Path, seed: int
) -> None:
    path = tmp_path / "attempts.jsonl"
    write_attempts(path, seed)
    counts = calibrate(macros, path)
    print(describe(counts))  # noqa: T201 - the measured rates are worth reading
    assert counts["series"] == 86
    assert counts["separated"] >= 10
    assert within_bounds(counts)


def test_a_claim_among_no_change_pairs_is_counted(
    macros: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    path = tmp_path / "attempts.jsonl"
    same = '"arch": "gfx1100", "prompt_md5": "a", "base_sha": "b", "var_runs": [1, 1, 1, 1]'
    path.write_text(
        f'{{{same}, "base_runs": [100.1, 100.2, 100.3, 100.4]}}\n'
        f'{{{same}, "base_runs": [120.1, 120.2, 120.3, 120.4]}}\n'
        f'{{{same}, "base_runs": [100.1, 100.2, 100.3]}}\n'
    )
    counts = calibrate(macros, path)
    assert counts["pairs"] == counts["claims"] == counts["claims_beyond"] == 1
    assert counts["series"] == 2
