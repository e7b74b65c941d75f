"""Generate the statistical reference tables: `python tools/stat_tables.py`.

Writes `rank_interval.csv` (exact, from the distribution of the Mann-Whitney U statistic by
recursion over integers) and `t_quantile.csv` (from scipy, which only this script and the tests
need) into `queries/reference/`.
"""

from collections.abc import Iterator
from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[1] / "queries" / "reference"
MOST_RUNS = 64
FEWEST_RUNS = 4
MOST_FREEDOM = 200


def u_counts(n: int, m: int) -> list[int]:
    """Count the orderings of n and m distinct values that give each U = 0 … n·m.

    The counts are the coefficients of the Gaussian binomial coefficient: the product over
    i = 1 … n of (1 - q^(m+i)) / (1 - q^i).
    """
    counts = [0] * (n * m + 1)
    counts[0] = 1
    for i in range(1, n + 1):
        for u in range(n * m, m + i - 1, -1):
            counts[u] -= counts[u - m - i]
        for u in range(i, n * m + 1):
            counts[u] += counts[u - i]
    return counts


def rank_position(n: int, m: int) -> int | None:
    """Return the largest k with P(U <= k - 1) <= 2.5 %: the interval from it covers >= 95 %.

    Differences number k (from below and from above) bound the interval. None below 4 a side.
    """
    if min(n, m) < FEWEST_RUNS:
        return None
    counts = u_counts(n, m)
    total, below, k = sum(counts), 0, 0
    while (below + counts[k]) * 40 <= total:
        below += counts[k]
        k += 1
    return k


def rank_rows() -> Iterator[str]:
    """Yield the lines of `rank_interval.csv`."""
    yield "n,m,k"
    known: dict[tuple[int, int], int | None] = {}
    for n in range(1, MOST_RUNS + 1):
        for m in range(1, MOST_RUNS + 1):
            pair = (min(n, m), max(n, m))
            if pair not in known:
                known[pair] = rank_position(*pair)
            k = known[pair]
            yield f"{n},{m},{'' if k is None else k}"


def t_rows() -> Iterator[str]:
    """Yield the lines of `t_quantile.csv`."""
    from scipy import stats

    yield "df,t975,t80"
    for df in range(1, MOST_FREEDOM + 1):
        yield f"{df},{float(stats.t.ppf(0.975, df))!r},{float(stats.t.ppf(0.8, df))!r}"


def main() -> None:
    """Write both tables."""
    for name, rows in (("rank_interval", rank_rows()), ("t_quantile", t_rows())):
        (REFERENCE / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
