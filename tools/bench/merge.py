"""Merging another host's ledger, and merging it again, against their bounds."""

from collections.abc import Iterator
from pathlib import Path

from bench.measure import Line, atlas, peak_of, seconds_of
from bench.rows import write

_COUNT = 100_000


def merge(folder: Path, count: int) -> Iterator[Line]:
    """Whole ``atlas merge`` commands into the ledger of ``count`` events that `core.ingest` made."""
    ledger = folder / "atlas.duckdb"
    source, other = folder / "other.jsonl", folder / "other" / "atlas.duckdb"
    write(source, _COUNT, seed=2)
    seconds_of(atlas("--ledger", str(other), "ingest", str(source)))
    argv = atlas("--ledger", str(ledger), "merge", str(other))
    for what, most in ((f"merge of {_COUNT} events into {count}", 6.0), ("nothing new", 1.5)):
        seconds, peak = peak_of(argv)
        yield Line(what, f"{seconds:.2f} s, {peak:.0f} MiB", f"<= {most} s", seconds <= most)
