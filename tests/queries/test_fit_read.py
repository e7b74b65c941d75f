"""The fit read: each rule, each edge of a rule, and what outranks what."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from support.fit import hot, image, ingested, kernel, manifest, row

from atlas.ask import ask
from ledger.passing import passing
from queries.catalog import Catalog

PARO = "Paro rotated-GEMV dominates"
SPILLS = "register pressure (spills)"
LAUNCH = "memory/launch, not matrix throughput"
NO_MATRIX = "prefill is missing matrix utilization"
UNPACK = "bandwidth plus unpack/register pressure"
BANDWIDTH = "memory bandwidth"
VALU = "VALU/unpack throughput"
MIXED = "mixed or launch dominated"

WITH_MATRIX = {"matrix": 1, "valu": 10, "salu": 89}


class Case(NamedTuple):
    """One row and the limit that is read from it."""

    limit: str | None
    mix: dict[str, int] | None
    profile: tuple[Any, ...] = (hot("k", 50.0),)
    kernel: Mapping[str, Any] = MappingProxyType({})
    row: Mapping[str, Any] = MappingProxyType({})


def _no_matrix_unit(**more: Any) -> dict[str, Any]:
    return {"arch": "gfx1030", **more}


CASES = {
    "paro at the threshold": Case(
        PARO,
        WITH_MATRIX,
        (hot("gemv_paro4g128", 20.1), hot("x_gemv_PARO4G128_r2", 14.9), hot("k", 9)),
    ),
    "paro just below": Case(MIXED, WITH_MATRIX, (hot("gemv_paro4g128", 34.999), hot("k", 9.0))),
    "paro in prefill": Case(
        MIXED, WITH_MATRIX, (hot("gemv_paro4g128", 90.0), hot("k", 9.0)), row={"phase": "prefill"}
    ),
    "paro in dflash": Case(
        PARO, WITH_MATRIX, (hot("gemv_paro4g128", 90.0),), row={"phase": "decode_dflash"}
    ),
    "paro outranks spills": Case(
        PARO, WITH_MATRIX, (hot("gemv_paro4g128", 40.0), hot("k", 9.0)), {"vgpr_spill_count": 4}
    ),
    "paro by times": Case(
        PARO,
        WITH_MATRIX,
        (hot("gemv_paro4g128", None, total_ms=35.0), hot("k", None, total_ms=65.0)),
    ),
    "a matched kernel spills": Case(SPILLS, WITH_MATRIX, kernel={"vgpr_spill_count": 1}),
    "scalar spills count": Case(SPILLS, WITH_MATRIX, kernel={"sgpr_spill_count": 1}),
    "spills outrank missing matrix": Case(SPILLS, {"valu": 9}, kernel={"vgpr_spill_count": 1}),
    "an unmatched kernel spills": Case(
        MIXED, WITH_MATRIX, (hot("other", 50.0),), {"vgpr_spill_count": 9}
    ),
    "without a profile nothing is hot": Case(MIXED, WITH_MATRIX, (), {"vgpr_spill_count": 9}),
    "decode without matrix": Case(LAUNCH, {"valu": 50, "vmem": 50}),
    "dflash without matrix": Case(LAUNCH, {"valu": 50}, row={"phase": "decode_dflash"}),
    "prefill without matrix": Case(NO_MATRIX, {"valu": 50}, row={"phase": "prefill"}),
    "one matrix instruction": Case(VALU, {"matrix": 1, "valu": 99}),
    "no matrix unit": Case(VALU, {"valu": 99}, row=_no_matrix_unit()),
    "unknown arch claims none": Case(VALU, {"valu": 99}, row={"arch": "gfx7777"}),
    "bandwidth and unpack at both thresholds": Case(
        UNPACK, {"vmem": 18, "valu": 35, "salu": 47}, row=_no_matrix_unit(quant="mq3")
    ),
    "dot counts as valu": Case(
        UNPACK, {"vmem": 18, "valu": 5, "dot": 30, "salu": 47}, row=_no_matrix_unit(quant="HFQ6")
    ),
    "low/medium is above low": Case(
        UNPACK, {"vmem": 50, "valu": 50}, row=_no_matrix_unit(quant="mfp4g32")
    ),
    "valu just below": Case(
        BANDWIDTH, {"vmem": 180, "valu": 349, "salu": 471}, row=_no_matrix_unit(quant="mq3")
    ),
    "a cheap unpack": Case(BANDWIDTH, {"vmem": 18, "valu": 82}, row=_no_matrix_unit(quant="q8")),
    "an unknown unpack": Case(
        BANDWIDTH, {"vmem": 18, "valu": 82}, row=_no_matrix_unit(quant="f16")
    ),
    "no quant at all": Case(BANDWIDTH, {"vmem": 18, "valu": 82}, row=_no_matrix_unit(quant=None)),
    "vmem just below": Case(VALU, {"vmem": 179, "valu": 821}, row=_no_matrix_unit()),
    "valu at the threshold": Case(VALU, {"valu": 50, "salu": 50}, row=_no_matrix_unit()),
    "valu below the threshold": Case(MIXED, {"valu": 499, "salu": 501}, row=_no_matrix_unit()),
    "hints are in no total": Case(
        VALU, {"valu": 50, "salu": 50, "sched": 900}, row=_no_matrix_unit()
    ),
    "exports are": Case(MIXED, {"valu": 50, "export": 51}, row=_no_matrix_unit()),
    "no instruction could be read": Case(None, {}),
    "spills are read without instructions": Case(SPILLS, {}, kernel={"vgpr_spill_count": 1}),
    "only hints": Case(None, {"sched": 5}),
}


@pytest.fixture(scope="module")
def fits() -> dict[str, dict[str, Any]]:
    rows = [
        row(
            label,
            isa=manifest(
                image(
                    kernel("k", case.mix, **case.kernel),
                    arch=case.row.get("arch", "gfx1100"),
                )
            ),
            profile=case.profile,
            **case.row,
        )
        for label, case in CASES.items()
    ]
    # A Paro kernel that no object has is hot all the same.
    catalog = Catalog()
    with passing(catalog, ingested(rows)) as reader:
        found = ask(reader, catalog, "fit").dicts()
    return {one["workload"]: one for one in found}


@pytest.mark.parametrize("label", CASES)
def test_the_limit(fits: dict[str, dict[str, Any]], label: str) -> None:
    assert fits[label]["limit_text"] == CASES[label].limit


@pytest.mark.parametrize("label", CASES)
def test_a_limit_says_what_is_left_and_no_limit_says_what_to_collect(
    fits: dict[str, dict[str, Any]], label: str
) -> None:
    fit = fits[label]
    assert bool(fit["left_text"]) == bool(fit["limit_text"])
    assert bool(fit["collect"]) != bool(fit["limit_text"])


def test_every_limit_of_the_rules_is_reached() -> None:
    known = {PARO, SPILLS, LAUNCH, NO_MATRIX, UNPACK, BANDWIDTH, VALU, MIXED}
    assert {case.limit for case in CASES.values()} >= known
