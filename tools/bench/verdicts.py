"""How the verdict ladder does on real A/B attempts, and what a scan for many kernels costs."""

from collections.abc import Iterator
from pathlib import Path

import bench_dispatch
import calibration
import duckdb

from bench.measure import Line
from queries.catalog import Catalog

_ATTEMPTS = Path(__file__).resolve().parents[3] / "shared" / "cases" / "ab" / "ab_runs.jsonl"


def verdicts() -> Iterator[Line]:
    """False claims among comparisons in which nothing changed, and plain hits that were claimed."""
    if not _ATTEMPTS.exists():
        yield Line("verdicts on real A/B attempts", "no attempts here", "", None)
        return
    with duckdb.connect() as connection:
        Catalog().define(connection, temporary=False, folders=("reference", "macros"))
        counts = calibration.calibrate(connection, _ATTEMPTS)
    pairs, hits = counts["pairs"], counts["separated"]
    for what, name, most in (("faster/slower", "claims_beyond", 1.0), ("any claim", "claims", 5.5)):
        rate = 100 * counts[name] / pairs
        yield Line(
            f"{pairs} no-change pairs, {what}", f"{rate:.1f} %", f"<= {most} %", rate <= most
        )
    plain = 100 * counts["plain_wrong"] / pairs
    yield Line("  'medians differ by more than 1 %' is wrong on", f"{plain:.1f} %", "", None)
    claimed = counts["separated_claimed"]
    yield Line("separated attempts claimed", f"{claimed} of {hits}", "all", claimed == hits)


def dispatch() -> Iterator[Line]:
    """32 kernels against one, over one tree of 640 files."""
    one, many = bench_dispatch.measure()
    yield Line(
        "dispatch scan of 640 files, 32 kernels / 1 kernel",
        f"{many * 1000:.0f} ms / {one * 1000:.0f} ms = {many / one:.2f} x",
        "<= 2 x",
        many / one <= 2,
    )
