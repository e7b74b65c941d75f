"""The lanes of a row, computed slowly in plain Python: what SQL has to agree with."""

from typing import Any

LANES = {
    "matrix/wmma": {"matrix"},
    "valu": {"valu", "dot"},
    "vmem": {"vmem"},
    "lds": {"lds"},
    "salu/control": {"salu", "branch", "wait", "smem"},
}

Shares = dict[str, tuple[float | None, float | None]]


def slow_lanes(images: list[dict[str, Any]], profile: tuple[dict[str, Any], ...]) -> Shares:
    """Static and time-weighted share of each lane."""
    units = _units(images)
    names = {hot["name"].removesuffix(".kd") for hot in profile}
    scope = {key: mix for key, mix in units.items() if key[0] in names} or units
    static = _share(list(scope.values()))
    weighted = _weighted(units, profile) if profile else None
    return {
        lane: (static and static[lane], weighted and round(weighted[lane], 9)) for lane in LANES
    }


def _units(images: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, int]]:
    """Mix of each distinct code: by name and digest, or by its place."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for at, image in enumerate(images):
        for place, kernel in enumerate(image["kernels"]):
            code = kernel.get("code_sha256") or f"{at}:{place}"
            mix = kernel["instruction_summary"]["category_counts"]
            found.setdefault((kernel["name"], code), mix)
    return found


def _share(mixes: list[dict[str, int]]) -> dict[str, float] | None:
    work = [
        (name, count) for mix in mixes for name, count in mix.items() if name != "sched" and count
    ]
    total = sum(count for _, count in work)
    if not total:
        return None
    return {
        lane: sum(count for name, count in work if name in members) / total
        for lane, members in LANES.items()
    }


def _weighted(
    units: dict[tuple[str, str], dict[str, int]], profile: tuple[dict[str, Any], ...]
) -> dict[str, float] | None:
    weights: dict[str, float] = {}
    for hot in profile:
        weights[hot["name"]] = weights.get(hot["name"], 0.0) + hot["pct"]
    total = 0.0
    sums = dict.fromkeys(LANES, 0.0)
    for name, pct in weights.items():
        share = _share([mix for key, mix in units.items() if key[0] == name.removesuffix(".kd")])
        if share is None or not pct:
            continue
        total += pct
        for lane in LANES:
            sums[lane] += pct * share[lane]
    return {lane: value / total for lane, value in sums.items()} if total else None
