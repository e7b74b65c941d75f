"""Start-up, ingest, query, audit, rebuild and recording, against the bounds they should keep."""

import hashlib
import os
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from bench.measure import Line, atlas, calls, in_turn, peak_of, python, seconds_of
from bench.rows import write

_RECORDER = """
import sys, time
from pathlib import Path
from ledger.envelope import Draft
from ledger.store import Ledger
from queries.catalog import Catalog
ledger = Ledger(Path(sys.argv[1]), Catalog())
for n in range(int(sys.argv[2])):
    began = time.perf_counter()
    ledger.record([Draft("collection", {"n": n, "text": "x" * 2000})])
    print(time.perf_counter() - began)
"""


def start_up() -> Iterator[Line]:
    """What a command costs before it does anything."""
    ours, bare, ratio = in_turn(atlas("--help"), python("import click"))
    yield Line(
        "atlas --help / python -c 'import click'",
        f"{ours * 1000:.0f} ms / {bare * 1000:.0f} ms = {ratio:.2f} x",
        "<= 1.6 x",
        ratio <= 1.6,
    )


def ingest(folder: Path, count: int) -> Iterator[Line]:
    """Rows per second of an ingest, facts included, and the memory it takes."""
    source, ledger = folder / "rows.jsonl", folder / "atlas.duckdb"
    size = write(source, count)
    seconds, peak = peak_of(atlas("--ledger", str(ledger), "ingest", str(source)))
    yield Line(
        f"ingest of {count} v0 rows ({size / count:.0f} bytes each)",
        f"{count / seconds:.0f} rows/s, {peak:.0f} MiB",
        ">= 12000 rows/s, 600 MiB",
        count / seconds >= 12_000 and peak <= 600,
    )
    file = ledger.stat().st_size
    yield Line(
        "size of the ledger", f"{file / count:.0f} bytes per event", "<= 1250", file / count <= 1250
    )


def query(folder: Path, count: int) -> Iterator[Line]:
    """A shortcut as a whole process against opening the same file."""
    ledger = str(folder / "atlas.duckdb")
    opening = python(f"import duckdb; duckdb.connect({ledger!r}, read_only=True)")
    bound = 2.0 if count <= 100_000 else 2.5
    for name, form, most in (
        ("rows", "json", bound),
        ("hot-kernels", "json", bound),
        ("latest", "json", bound),
        ("noise-floor", "json", bound),
        ("rows", "table", 2.6),
    ):
        argv = atlas("--ledger", ledger, "query", name, "--format", form)
        ours, bare, ratio = in_turn(argv, opening, 5)
        yield Line(
            f"query {name} --format {form} / opening the file",
            f"{ours * 1000:.0f} ms / {bare * 1000:.0f} ms = {ratio:.2f} x",
            f"<= {most} x",
            ratio <= most,
        )


def audit(folder: Path, count: int) -> Iterator[Line]:
    """The chain audit against hashing the same payloads in one thread."""
    import duckdb

    ledger = folder / "atlas.duckdb"
    hashing = 0.0
    with duckdb.connect(str(ledger), read_only=True) as connection:
        payloads = connection.execute("SELECT payload FROM events")
        while some := [row[0].encode() for row in payloads.fetchmany(2_000)]:
            began = time.perf_counter()
            for payload in some:
                hashlib.sha256(payload).hexdigest()
            hashing += time.perf_counter() - began
    bounded = count > 100_000
    for words, most in (((), 5.0), (("--fast",), 1.0)):
        argv = atlas("--ledger", str(ledger), "audit", "chain", *words)
        seconds = statistics.median(seconds_of(argv) for _ in range(3))
        ratio = seconds / hashing
        yield Line(
            f"audit chain {' '.join(words)} / hashlib over {count} payloads",
            f"{seconds:.2f} s / {hashing:.2f} s = {ratio:.2f} x",
            f"<= {most} x" if bounded else f"({most} x at 10^6)",
            ratio <= most if bounded else None,
        )
    seconds = seconds_of(atlas("--ledger", str(ledger), "rebuild"))
    most = 25 * count / 1_000_000
    yield Line(
        f"rebuild of {count} events", f"{seconds:.1f} s", f"<= {most:.1f} s", seconds <= most
    )


def record(folder: Path) -> Iterator[Line]:
    """Recording one durable event against the two bare fsyncs it needs, and four writers at once."""
    ledger = folder / "recorded" / "atlas.duckdb"
    ledger.parent.mkdir()
    (folder / "bare").mkdir()
    bare = statistics.median(calls(lambda: _two_fsyncs(folder / "bare"), 200))
    ours = statistics.median(_recorder(ledger, 200))
    yield Line(
        "record one event / two bare fsyncs",
        f"{ours * 1000:.2f} ms / {bare * 1000:.2f} ms = {ours / bare:.2f} x",
        "<= 3 x",
        ours / bare <= 3,
    )
    argv = [sys.executable, "-c", _RECORDER, str(ledger), "200"]
    writers = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    times = sorted(float(line) for w in writers for line in w.communicate()[0].splitlines())
    middle, late = statistics.median(times), times[int(len(times) * 0.99)]
    yield Line(
        "four writers at once: p99 / median",
        f"{late * 1000:.2f} ms / {middle * 1000:.2f} ms = {late / middle:.2f} x",
        "<= 6 x",
        late / middle <= 6,
    )


def _recorder(ledger: Path, times: int) -> list[float]:
    argv = [sys.executable, "-c", _RECORDER, str(ledger), str(times)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    return [float(line) for line in done.stdout.splitlines()]


def _two_fsyncs(folder: Path) -> None:
    path = folder / uuid.uuid4().hex
    with path.open("wb") as file:
        file.write(b"x" * 2500)
        file.flush()
        os.fsync(file.fileno())
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
