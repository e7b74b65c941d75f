"""Every wrapping gives the same images; a lying one gives its finding."""

from __future__ import annotations

import struct
import zlib

import pytest
from isa_testdata import OBJECTS, X86_64, bundle, data_of, elf

from atlas.errors import NotFound
from atlas.isa import inspect_bytes
from atlas.isa.container import open_container, target_of
from atlas.isa.problem import MAX_INFLATED_BYTES

TARGETS = ["gfx1100", "gfx906", "gfx1201"]


def codes(data: bytes) -> list[str]:
    return [finding.code for finding in inspect_bytes(data).findings]


@pytest.mark.parametrize(
    ("name", "container"),
    [
        ("bundle", "bundle"),
        ("ccob_v1_zlib", "ccob_v1"),
        ("ccob_v1_zstd", "ccob_v1"),
        ("ccob_v2_zlib", "ccob_v2"),
        ("ccob_v2_zstd", "ccob_v2"),
        ("ccob_v3_zstd", "ccob_v3"),
    ],
)
def test_every_form_of_bundle_holds_the_same_images(name: str, container: str) -> None:
    contents = open_container(memoryview(data_of(name)))
    assert contents.findings == []
    assert contents.container == container
    assert [image.target for image in contents.images] == TARGETS
    for image in contents.images:
        assert bytes(image.data) == data_of(f"two_kernels-{image.target}-O3")
    assert contents.targets[0].startswith("host-x86_64-unknown-linux-gnu")


def test_bundles_back_to_back_are_all_read() -> None:
    facts = inspect_bytes(data_of("back_to_back"))
    assert [image["arch"] for image in facts.images] == TARGETS * 2
    assert facts.findings == []


@pytest.mark.parametrize("name", ["host.o", "host.so"])
def test_a_host_program_gives_what_is_in_its_fat_binary(name: str) -> None:
    facts = inspect_bytes((OBJECTS / name).read_bytes())
    assert facts.payload["container"] == "host_elf"
    assert [image["arch"] for image in facts.images] == ["gfx1100", "gfx1201"]
    assert [len(image["kernels"]) for image in facts.images] == [2, 2]
    assert facts.findings == []


def test_a_raw_device_file_equals_the_image_in_a_bundle() -> None:
    raw = inspect_bytes(data_of("two_kernels-gfx1100-O3")).images[0]
    packed = inspect_bytes(data_of("bundle"), arch="gfx1100").images[0]
    assert packed == raw | {"bundle_target": "gfx1100"}


def test_an_arch_that_is_not_inside_is_an_error_that_lists_what_is() -> None:
    with pytest.raises(NotFound, match="no gfx1030 inside") as caught:
        inspect_bytes(data_of("bundle"), arch="gfx1030")
    assert caught.value.hint == "it holds gfx1100, gfx1201, gfx906"


def test_a_processor_matches_its_variants_and_never_another_chip() -> None:
    data = data_of("gemv_int4-gfx90a_xnack+-O3")
    assert len(inspect_bytes(data, arch="gfx90a").images) == 1
    assert len(inspect_bytes(data, arch="gfx90a:xnack+").images) == 1
    for other in ("gfx90", "gfx90a:xnack-", "gfx906", "gfx90a1"):
        with pytest.raises(NotFound):
            inspect_bytes(data, arch=other)


@pytest.mark.parametrize(
    ("entry", "target"),
    [
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"),
        ("hip-amdgcn-amd-amdhsa-unknown-gfx1100", "gfx1100"),
        ("openmp-amdgcn-amd-amdhsa--gfx906", "gfx906"),
        ("something", "something"),
    ],
)
def test_targets_of_bundle_entries(entry: str, target: str) -> None:
    assert target_of(entry) == target


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ((OBJECTS / "bitcode.bc").read_bytes(), "LLVM bitcode"),
        (b"\x10\xff\x10\xad" + bytes(100), "llvm.offloading"),
        (b"!<arch>\nsomething", "archive"),
        (b"\x64\x86" + bytes(100), "COFF"),
        (b"MZ" + bytes(100), "Windows"),
        (elf(machine=X86_64), "machine 62"),
        (bundle([("hip-amdgcn-amd-amdhsa--gfx906", b"BC\xc0\xde" + bytes(60))]), "LLVM bitcode"),
    ],
)
def test_other_formats_are_recognised_by_name(data: bytes, words: str) -> None:
    findings = inspect_bytes(data).findings
    assert [finding.code for finding in findings] == ["not_amdgpu"]
    assert words in findings[0].message
    assert "no device code here" in findings[0].message


def ccob(version: int, method: int, sizes: bytes, body: bytes) -> bytes:
    return struct.pack("<4sHH", b"CCOB", version, method) + sizes + body


RAW = bundle([("hip-amdgcn-amd-amdhsa--gfx1100", elf())])
PACKED = zlib.compress(RAW)


def v2(
    body: bytes = PACKED, raw: int = len(RAW), size: int | None = None, method: int = 0
) -> bytes:
    length = 24 + len(body) if size is None else size
    return ccob(2, method, struct.pack("<IIQ", length, raw, 0), body)


OVERLAPPING = bytearray(bundle([("hip--gfx1100", elf()), ("hip--gfx906", elf())]))
OVERLAPPING[32:48] = OVERLAPPING[68:84]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b"no code object", "unknown_format"),
        (b"\x7fELF", "elf_truncated"),
        (b"__CLANG_OFFLOAD_BUNDLE__", "bundle_bad_range"),
        (b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", 1 << 60), "bundle_bad_range"),
        (b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q3Q", 1, 64, 1 << 62, 0), "bundle_bad_range"),
        (b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q3Q", 1, 0, 0, 1 << 62), "bundle_bad_range"),
        (bytes(OVERLAPPING), "bundle_bad_range"),
        (bundle([("hip--gfx1100", b"not an ELF file")]), "unknown_format"),
        (b"CCOB", "bundle_bad_range"),
        (b"CCOB\2\0\0\0", "bundle_bad_range"),
        (ccob(9, 0, bytes(16), b""), "unknown_format"),
        (v2(method=7), "unknown_format"),
        (v2(size=1 << 20), "bundle_bad_range"),
        (v2(size=3), "bundle_bad_range"),
        (v2(raw=MAX_INFLATED_BYTES + 1), "ccob_too_big"),
        (ccob(3, 0, struct.pack("<QQQ", 40, 1 << 63, 0), bytes(8)), "ccob_too_big"),
        (v2(raw=len(RAW) - 1), "ccob_damaged"),
        (v2(raw=len(RAW) + 1), "ccob_damaged"),
        (v2(body=PACKED[:-9]), "ccob_damaged"),
        (v2(body=b"garbage"), "ccob_damaged"),
        (v2(body=b"garbage", method=1), "ccob_damaged"),
        (v2(body=zlib.compress(b"text"), raw=4), "unknown_format"),
    ],
)
def test_each_broken_container_gives_its_code(data: bytes, code: str) -> None:
    assert codes(data)[:1] == [code]


def test_a_sound_compressed_bundle_of_our_own_is_read() -> None:
    assert codes(v2()) == []
    assert codes(v2() * 3) == []
    assert len(inspect_bytes(v2() * 3).images) == 3


def test_a_broken_bundle_does_not_hide_the_next_one() -> None:
    facts = inspect_bytes(v2(body=b"garbage") + v2())
    assert [finding.code for finding in facts.findings] == ["ccob_damaged"]
    assert len(facts.images) == 1


def test_bundles_together_may_not_inflate_beyond_the_limit() -> None:
    half = MAX_INFLATED_BYTES // 2 + 1
    body = zlib.compress(bytes(64))
    found = codes(v2(body=body, raw=half) * 2)
    assert found == ["ccob_damaged", "ccob_too_big"]
