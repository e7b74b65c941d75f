"""Lanes against a slow reference, over generated manifests and profiles."""

import random
from typing import Any

import pytest
from support.fit import hot, image, ingested, kernel, manifest, row
from support.slow_lanes import slow_lanes

from atlas.ask import ask
from ledger.passing import passing
from queries.catalog import Catalog

CATEGORIES = (
    *("matrix", "dot", "valu", "vmem", "lds", "salu", "branch", "wait", "smem", "sched"),
    *("export", "other"),
)
NAMES = ("gemv_a", "gemv_b", "norm_c", "attention_d", "cold_e")
ROWS = 60


def _mix(dice: random.Random) -> dict[str, int]:
    chosen = dice.sample(CATEGORIES, dice.randint(0, len(CATEGORIES)))
    return {name: dice.choice((0, 1, dice.randint(1, 900))) for name in chosen}


def _generated(dice: random.Random) -> tuple[list[dict[str, Any]], tuple[dict[str, Any], ...]]:
    mixes = {code: _mix(dice) for code in ("c1", "c2", "c3")}
    images = []
    for _ in range(dice.randint(1, 4)):
        kernels = []
        for name in dice.sample(NAMES, dice.randint(1, 3)):
            code = dice.choice((None, *mixes))
            mix = mixes[code] if code else _mix(dice)
            kernels.append(kernel(name, mix, **({"code_sha256": code} if code else {})))
        images.append(image(*kernels))
    size = dice.choice((0, 1, 3, 4))
    profile = tuple(
        hot(dice.choice((*NAMES, "absent", "gemv_a.kd")), dice.choice((0.0, dice.uniform(0, 60))))
        for _ in range(size)
    )
    return images, profile


@pytest.mark.parametrize("seed", [1, 2])
def test_lanes_agree_with_the_slow_reference(seed: int) -> None:
    dice = random.Random(seed)
    made = {f"row {number}": _generated(dice) for number in range(ROWS)}
    rows = [row(label, isa=manifest(*made[label][0]), profile=made[label][1]) for label in made]
    catalog = Catalog()
    with passing(catalog, ingested(rows)) as reader:
        found = ask(reader, catalog, "fit").dicts()
    assert len(found) == ROWS
    weighted = 0
    for fit in found:
        expected = slow_lanes(*made[fit["workload"]])
        for lane in fit["lanes"]:
            static, by_time = expected[lane["lane"]]
            assert lane["static"] == (None if static is None else pytest.approx(static))
            assert lane["weighted"] == (
                None if by_time is None else pytest.approx(by_time, abs=1e-8)
            )
            weighted += by_time is not None
    assert weighted > ROWS
