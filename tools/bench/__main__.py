"""``make bench``: every figure beside the bound it should keep; BENCH_FULL=1 takes 10^6 events."""

import os
import sys
import tempfile
from pathlib import Path

from bench import core, isa, merge, verdicts


def main() -> int:
    """Run the benches that were asked for (all by default) and print a line for each figure."""
    count = 1_000_000 if os.environ.get("BENCH_FULL") == "1" else 100_000
    over = 0
    with tempfile.TemporaryDirectory(prefix="atlas-bench-") as name:
        folder = Path(name)
        for lines in (
            core.start_up(),
            core.ingest(folder, count),
            core.query(folder, count),
            core.audit(folder, count),
            core.record(folder),
            merge.merge(folder, count),
            isa.inspection(folder),
            verdicts.dispatch(),
            verdicts.verdicts(),
        ):
            for line in lines:
                print(line.shown(), flush=True)
                over += line.ok is False
    print(f"{over} over their bound" if over else "all within their bounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
