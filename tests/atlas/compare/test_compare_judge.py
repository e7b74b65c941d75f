import math

import pytest

from atlas.compare.judge import FLAGS, judge, judge_all
from queries.catalog import Catalog

A = [129.8, 129.2, 129.4, 129.1]
B = [132.9, 132.7, 131.7, 132.0]


def test_two_series_at_hand() -> None:
    told = judge(A, B)
    assert told["verdict"] == "faster"
    assert told["ratio"] == pytest.approx(1.0224026, abs=1e-6)
    assert (told["n_a"], told["n_b"], told["runs_needed"]) == (4, 4, 4)


@pytest.mark.parametrize(
    ("flags", "verdict"),
    [
        ({"goal": "minimize"}, "slower"),
        ({"delta": 0.02}, "faster_small"),
        ({"paired": True}, "faster"),
        ({"paired": True, "block": 2}, "insufficient"),
        ({"paired": True, "floor_s": 0.5}, "inconclusive"),
        ({"max_rel_spread": 0.001}, "unstable"),
        ({"incomparable": ["arch"]}, "incomparable"),
        ({"identical": True}, "identical_binary"),
        ({"incorrect": True}, "incorrect"),
        ({"weak": True}, "insufficient"),
        ({"weak": None, "goal": None}, "faster"),
    ],
)
def test_every_flag_reaches_the_macro(flags: dict[str, object], verdict: str) -> None:
    assert judge(A, B, **flags)["verdict"] == verdict


def test_the_flags_are_the_macros_arguments() -> None:
    macro = Catalog().queries["macros"]["judge"].header
    assert {param.name for param in macro.params} == FLAGS | {"base", "candidate"}


def test_many_pairs_keep_their_order() -> None:
    told = judge_all(
        [{"base": A, "candidate": B}, {"base": B, "candidate": A}, {"base": A[:1], "candidate": B}]
    )
    assert [one["verdict"] for one in told] == ["faster", "slower", "insufficient"]
    assert judge_all([]) == []


@pytest.mark.parametrize("bad", [math.nan, math.inf, None])
def test_a_run_without_a_number_is_no_run(bad: float | None) -> None:
    told = judge(A, [*B[:3], bad])  # type: ignore[list-item]
    assert (told["verdict"], told["ratio"]) == ("insufficient", None)


def test_an_unknown_flag_is_an_error() -> None:
    with pytest.raises(TypeError, match="knows no dleta"):
        judge(A, B, dleta=0.02)
