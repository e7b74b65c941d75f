"""Measure how the verdict ladder does on a file of A/B attempts: false claims and plain hits.

A line of the file is one attempt: `arch`, `prompt_md5`, `base_sha`, `base_runs[]`, `var_runs[]`.
Base against base of attempts that agree in the first three is a comparison in which nothing
changed, so every claim there is a false one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

STATEMENT = Path(__file__).with_suffix(".sql")


def calibrate(con: duckdb.DuckDBPyConnection, path: Path) -> dict[str, int]:
    """Judge every no-change pair and every attempt of a JSONL file.

    Args:
        con: a database that has the project's macros.
        path: the attempts, one JSON object a line.

    Returns:
        Counts: series, pairs, claims_beyond, claims, plain_wrong, separated, separated_claimed
        (meanings in the header of `calibration.sql`).
    """
    result = con.execute(STATEMENT.read_text(encoding="utf-8"), {"path": str(path)})
    names = [column[0] for column in result.description]
    return dict(zip(names, result.fetchall()[0], strict=True))


def describe(counts: dict[str, int]) -> str:
    """Say the counts of `calibrate` in two lines, as percentages where they are rates."""
    pairs = max(counts["pairs"], 1)
    beyond, claims, plain = (
        f"{100 * counts[name] / pairs:.1f} %" for name in ("claims_beyond", "claims", "plain_wrong")
    )
    return (
        f"no-change pairs: {counts['pairs']} of {counts['series']} series: {beyond} faster/slower, "
        f"{claims} any claim; medians that differ by more than 1 %: {plain}\n"
        f"separated attempts: {counts['separated']}, claimed: {counts['separated_claimed']}"
    )
