"""Notes and descriptors against llvm-readobj, and notes that lie."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import msgpack
import pytest
from isa_testdata import data_of, descriptor, elf, expected, metadata, names, note, path_of

from atlas.isa import inspect_bytes
from atlas.isa.metadata import KERNEL_FIELDS, target_of_flags
from atlas.isa.processors import PROCESSOR_OF_FLAG

ENTRY = {".name": "k", ".symbol": "k.kd", ".vgpr_count": 8, ".wavefront_size": 32}
CODE = bytes.fromhex("0000b0bf") * 2  # s_endpgm


def image_of(data: bytes) -> dict[str, Any]:
    return inspect_bytes(data).images[0]


def codes(data: bytes) -> list[str]:
    return [finding.code for finding in inspect_bytes(data).findings]


@pytest.mark.parametrize("name", names())
def test_kernel_metadata_equals_llvm_readobj(name: str) -> None:
    image = image_of(data_of(name))
    listed = expected()[name]["kernels"]
    kernels = {kernel["name"]: kernel for kernel in image["kernels"]}
    assert set(kernels) == set(listed)
    for kernel, fields in listed.items():
        known = {key: value for key, value in fields.items() if key in {"symbol", *KERNEL_FIELDS}}
        assert len(known) >= 9
        assert {key: kernels[kernel][key] for key in known} == known
        others = set(fields) - set(known) - {"name"}
        assert {key.removeprefix(".") for key in kernels[kernel]["other"]} == others
    assert image["findings"] == []


@pytest.mark.parametrize("name", names()[::9])
def test_the_expectations_are_what_an_installed_llvm_readobj_says(name: str) -> None:
    tool = shutil.which("llvm-readobj-19")
    if tool is None:
        pytest.skip("llvm-readobj-19 is not installed")
    text = subprocess.run(
        [tool, "--notes", str(path_of(name))], capture_output=True, check=True, text=True
    ).stdout
    for fields in expected()[name]["kernels"].values():
        for key in ("vgpr_count", "sgpr_count", "kernarg_segment_size"):
            assert (
                f".{key}:".ljust(16) + f" {fields[key]}" in text or f".{key}: {fields[key]}" in text
            )


@pytest.mark.parametrize(("label", "version"), [("v4", 4), ("v5", 5), ("v6", 6)])
def test_code_object_versions(label: str, version: int) -> None:
    image = image_of(data_of(f"two_kernels-gfx1100-{label}"))
    assert image["code_object_version"] == version
    assert image["amdhsa_target"] == "amdgcn-amd-amdhsa--gfx1100"


def test_version_3_has_its_target_in_the_flags() -> None:
    kernels = [{**ENTRY}]
    payload = note(msgpack.packb({"amdhsa.version": [1, 0], "amdhsa.kernels": kernels}))
    data = elf(CODE, payload, [("k", 0, 8)], abi=1, flags=0x2F | 0x200)
    image = image_of(data)
    assert (image["code_object_version"], image["arch"]) == (3, "gfx906")
    assert image["amdhsa_target"] == "amdgcn-amd-amdhsa--gfx906:sramecc+"
    assert [kernel["name"] for kernel in image["kernels"]] == ["k"]


@pytest.mark.parametrize(
    ("flags", "version", "target"),
    [
        (0x3F | 0x300 | 0x800, 5, "gfx90a:sramecc-:xnack+"),
        (0x3F | 0x100 | 0x400, 5, "gfx90a"),
        (0x41, 5, "gfx1100"),
        (0x3F | 0x100, 3, "gfx90a:xnack+"),
    ],
)
def test_features_in_the_flags(flags: int, version: int, target: str) -> None:
    assert target_of_flags(flags, version) == (
        target.split(":", maxsplit=1)[0],
        f"amdgcn-amd-amdhsa--{target}",
    )


def test_an_unknown_processor_stays_unknown() -> None:
    assert target_of_flags(0xEE, 5) == ("", "")
    data = elf(CODE, functions=[("k", 0, 8)], descriptors=[("k.kd", descriptor())], flags=0xEE)
    assert "no_table" in codes(data)


@pytest.mark.parametrize("processor", ["gfx900", "gfx942", "gfx1036", "gfx1151", "gfx12-generic"])
def test_processor_numbers_are_those_llvm_writes(processor: str, tmp_path: Any) -> None:
    tool = shutil.which("llvm-mc-19")
    if tool is None:
        pytest.skip("llvm-mc-19 is not installed")
    made = tmp_path / "empty.o"
    argv = [tool, "-triple=amdgcn-amd-amdhsa", f"-mcpu={processor}", "-filetype=obj", "-o", made]
    subprocess.run([*argv, "/dev/null"], check=True)
    assert PROCESSOR_OF_FLAG[made.read_bytes()[48]] == processor


def test_version_2_is_named_as_such() -> None:
    data = elf(CODE, note(b"---\n", kind=10, owner=b"AMD\0"), [("k", 0, 8)], abi=0)
    assert codes(data) == ["metadata_v2"]
    assert image_of(data)["code_object_version"] == 2


def test_without_a_note_the_descriptor_is_the_source() -> None:
    parts = descriptor(entry=0x800, group=512, private=16, kernarg=24, vgprs=2)
    kernel = image_of(elf(CODE, functions=[("k", 0, 8)], descriptors=[("k.kd", parts)]))["kernels"][
        0
    ]
    assert kernel["metadata_from"] == "descriptor"
    wanted = {
        "group_segment_fixed_size": 512,
        "private_segment_fixed_size": 16,
        "kernarg_segment_size": 24,
        "vgpr_count": 24,
        "wavefront_size": 32,
        "sgpr_count": None,
        "vgpr_spill_count": None,
    }
    assert {key: kernel[key] for key in wanted} == wanted


@pytest.mark.parametrize(
    "name", ["gemv_int4-gfx906-O3", "spill-gfx1030-wave64", "two_kernels-gfx1201-O0"]
)
def test_descriptors_of_real_kernels_say_what_their_notes_say(name: str) -> None:
    whole = image_of(data_of(name))
    # Without a readable owner the note is not found, and the descriptors have to do.
    bare = image_of(data_of(name).replace(b"AMDGPU\0", b"XXXXXX\0"))
    for noted, described in zip(whole["kernels"], bare["kernels"], strict=True):
        assert described["metadata_from"] == "descriptor"
        for key in ("group_segment_fixed_size", "private_segment_fixed_size", "wavefront_size"):
            assert described[key] == noted[key]
        assert 0 <= described["vgpr_count"] - noted["vgpr_count"] < 8
        assert described["code_sha256"] == noted["code_sha256"]


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"group": 128}, "group_segment"),
        ({"private": 4}, "private_segment"),
        ({"kernarg": 8}, "kernarg"),
    ],
)
def test_a_descriptor_that_disagrees_is_reported(changed: dict[str, int], word: str) -> None:
    entry = ENTRY | {
        ".group_segment_fixed_size": 0,
        ".private_segment_fixed_size": 0,
        ".kernarg_segment_size": 0,
    }
    data = elf(CODE, metadata([entry]), [("k", 0, 8)], [("k.kd", descriptor(**changed))])
    findings = inspect_bytes(data).findings
    assert [finding.code for finding in findings] == ["descriptor_mismatch"]
    assert word in findings[0].message
    agreeing = elf(CODE, metadata([entry]), [("k", 0, 8)], [("k.kd", descriptor())])
    assert codes(agreeing) == []


def test_more_registers_noted_than_described_is_reported() -> None:
    entry = ENTRY | {".vgpr_count": 9}
    data = elf(CODE, metadata([entry]), [("k", 0, 8)], [("k.kd", descriptor())])
    assert codes(data) == ["descriptor_mismatch"]


def test_unknown_keys_are_kept_and_odd_values_are_refused() -> None:
    entry = ENTRY | {".new_key": 7, ".sgpr_count": -1, ".agpr_count": "many", ".args": [{}]}
    facts = inspect_bytes(elf(CODE, metadata([entry]), [("k", 0, 8)]))
    kernel = facts.images[0]["kernels"][0]
    assert kernel["other"] == {".new_key": 7}
    assert (kernel["sgpr_count"], kernel["agpr_count"]) == (None, None)
    assert [finding.code for finding in facts.findings] == ["metadata_msgpack"] * 2


def test_bytes_behind_the_note_warn_and_do_no_harm() -> None:
    payload = msgpack.packb({"amdhsa.kernels": [ENTRY]})
    facts = inspect_bytes(elf(CODE, note(payload + b"\x01\x02"), [("k", 0, 8)]))
    assert [finding.code for finding in facts.findings] == ["metadata_trailing"]
    assert facts.sound
    padded = inspect_bytes(elf(CODE, note(payload + b"\0\0"), [("k", 0, 8)]))
    assert padded.findings == []


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xc1",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"\x91" * 5000,
        b"\x81\x90\x01",
        msgpack.packb([1, 2]),
        msgpack.packb({"amdhsa.kernels": 3}),
        msgpack.packb({"amdhsa.kernels": [3]}),
        msgpack.packb({"amdhsa.kernels": [{".name": 3}]}),
        b"\xdd\x00\x20\x00\x00" + b"\x90" * (2 << 20),
        bytes(5 << 20),
    ],
)
def test_damaged_and_bombed_notes_are_one_finding_and_the_code_is_still_read(
    payload: bytes,
) -> None:
    image = image_of(elf(CODE, note(payload), [("f", 0, 8)]))
    assert [finding["code"] for finding in image["findings"]] == ["metadata_msgpack"]
    assert image["device_functions"][0]["instruction_summary"]["instruction_count"] == 2


def test_a_note_larger_than_its_section() -> None:
    assert codes(elf(CODE, note(b"", size=1 << 30))) == ["note_bad_size"]


def test_names_that_are_not_utf8_stay_visible() -> None:
    payload = msgpack.packb({"amdhsa.kernels": [{".name": b"\xffk"}]}, use_bin_type=False)
    assert image_of(elf(CODE, note(payload)))["kernels"][0]["name"] == "\\xffk"
