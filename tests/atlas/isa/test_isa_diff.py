"""What changed between two builds."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from isa_testdata import path_of

from atlas.errors import BadUsage
from atlas.isa import build_manifest, diff_manifests, inspect_paths, regressions
from atlas.isa.diff import MEASURES, Change


def manifest(*names: str) -> dict[str, Any]:
    return build_manifest(inspect_paths([path_of(name) for name in names]).objects)


def test_a_build_equals_itself() -> None:
    made = manifest("two_kernels-gfx1100-O3", "odd_names-gfx906-O3")
    diffs = diff_manifests(made, copy.deepcopy(made))
    assert len(diffs) == 7
    assert {diff.status for diff in diffs} == {"identical"}
    assert regressions(diffs, MEASURES) == []


def test_optimised_against_unoptimised() -> None:
    diffs = diff_manifests(manifest("gemv_int4-gfx1100-O3"), manifest("gemv_int4-gfx1100-O0"))
    (diff,) = diffs
    assert diff.status == "changed"
    assert {"private_segment_fixed_size", "code_bytes"} <= set(diff.resources)
    assert {"valu", "vmem"} <= set(diff.mix)
    found = {
        regression.measure for regression in regressions(diffs, ["scratch", "instructions", "lds"])
    }
    assert found == {"scratch", "instructions"}


def test_added_and_removed_kernels() -> None:
    before = manifest("two_kernels-gfx1100-O3", "spill-gfx1100-O3")
    after = manifest("two_kernels-gfx1100-O3", "gemv_int4-gfx1100-O3")
    diffs = {diff.name: diff.status for diff in diff_manifests(before, after)}
    assert diffs == {
        "add_polynomial": "identical",
        "apply_polynomial": "identical",
        "gemv_int4": "added",
        "spills_registers": "removed",
    }


def test_the_same_name_for_two_processors_is_two_kernels() -> None:
    both = manifest("spill-gfx1100-O3", "spill-gfx1201-O3")
    diffs = diff_manifests(both, manifest("spill-gfx1201-O3"))
    assert [(diff.arch, diff.status) for diff in diffs] == [
        ("gfx1100", "removed"),
        ("gfx1201", "identical"),
    ]


@pytest.mark.parametrize(
    ("field", "measure"),
    [
        ("vgpr_spill_count", "spills"),
        ("sgpr_spill_count", "spills"),
        ("vgpr_count", "vgpr"),
        ("sgpr_count", "sgpr"),
        ("group_segment_fixed_size", "lds"),
        ("private_segment_fixed_size", "scratch"),
        ("code_bytes", "code"),
    ],
)
def test_each_measure_sees_its_own_regression(field: str, measure: str) -> None:
    before = manifest("gemv_int4-gfx1100-O3")
    after = copy.deepcopy(before)
    after["objects"][0]["kernels"][0][field] += 1
    diffs = diff_manifests(before, after)
    old = before["objects"][0]["kernels"][0][field]
    assert diffs[0].resources == {field: Change(old, old + 1)}
    assert [found.measure for found in regressions(diffs, MEASURES)] == [measure]
    assert regressions(diff_manifests(after, before), MEASURES) == []


def test_fewer_waves_are_a_regression() -> None:
    before, after = (manifest("gemv_int4-gfx1100-O3") for _ in range(2))
    after["objects"][0]["kernels"][0]["static_wave_limit"]["waves_per_simd"] -= 1
    found = regressions(diff_manifests(before, copy.deepcopy(after)), ["waves"])
    assert [regression.measure for regression in found] == ["waves"]


def test_manifests_without_digests_do_not_claim_identity() -> None:
    older = {"arch": "gfx1100", "objects": [{"kernels": [{"name": "k", "vgpr_count": 4}]}]}
    (diff,) = diff_manifests(older, copy.deepcopy(older))
    assert (diff.status, diff.arch) == ("unknown", "gfx1100")


def test_an_unknown_measure_lists_the_known_ones() -> None:
    with pytest.raises(BadUsage) as caught:
        regressions([], ["speed"])
    assert "spills" in caught.value.hint
