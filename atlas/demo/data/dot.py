"""A small CPU kernel: the dot product of two vectors; prints how often it was done a second."""

import operator
import time

N = 20_000
A = [float(n % 7) for n in range(N)]
B = [float(n % 5) for n in range(N)]


def dot(a: list[float], b: list[float]) -> float:
    """Sum of the products of ``a`` and ``b``."""
    total = 0.0
    for n in range(len(a)):
        total += a[n] * b[n]
    return total


def main() -> None:
    """Check the answer, then measure for a while."""
    assert dot(A, B) == sum(map(operator.mul, A, B)), "wrong answer"
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < 0.4:
        dot(A, B)
        done += 1
    print(f"score={done / (time.perf_counter() - began):.2f}")


main()
