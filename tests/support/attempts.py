"""Generated A/B attempts with the noise of real benches: for calibration without the real file."""

import json
import math
import random
from pathlib import Path

# (arch, sd of log rates within a series, runs of each base series)
BENCHES = (
    ("gfx1100", 0.004, [4] * 6 + [6, 8, 12, 16]),
    ("gfx1201", 0.015, [4] * 15 + [6, 8, 10]),
    ("gfx1201", 0.014, [4] * 25 + [6, 6, 8, 8, 12, 16]),
    ("gfx1030", 0.012, [4] * 20 + [6, 6, 6, 8, 8, 12, 16]),
)
# One attempt in eight changes something: by this much, in turn.
EFFECTS = (0.12, -0.1)


def write_attempts(path: Path, seed: int) -> None:
    """Write one JSON line per attempt; one base run in a hundred hits a stall of a third."""
    dice = random.Random(seed)
    lines = []
    for number, (arch, noise, counts) in enumerate(BENCHES):
        for place, runs in enumerate(counts):
            effect = EFFECTS[place // 8 % 2] if place % 8 == 0 else 0.0
            lines.append(
                {
                    "arch": arch,
                    "prompt_md5": f"{number:032x}",
                    "base_sha": f"{number:012x}",
                    "base_runs": [_rate(dice, noise, 0.0) for _ in range(runs)],
                    "var_runs": [_rate(dice, noise, effect) for _ in range(runs)],
                }
            )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def _rate(dice: random.Random, noise: float, effect: float) -> float:
    stall = 0.67 if effect == 0.0 and dice.random() < 0.01 else 1.0
    return round(160 * stall * math.exp(dice.gauss(effect, noise)), 1)
