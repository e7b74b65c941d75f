from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from atlas.dispatch import scan as scan_module
from atlas.dispatch.manifest import NOTE
from atlas.dispatch.names import KernelName
from atlas.dispatch.scan import scan_tree
from atlas.errors import BadUsage, NotFound

if TYPE_CHECKING:
    from pathlib import Path

WHEN = "2026-01-02T03:04:05Z"


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())


def scanned(
    root: Path, *names: str, arch: str | None = "gfx1201", limit: int = 8
) -> dict[str, Any]:
    kernels = [KernelName(name) for name in names]
    manifest = scan_tree(root, kernels, arch=arch, ref_limit=limit)
    return manifest.as_json(captured_at_utc=WHEN, ops={"gemv_kv_r4": {"family": "linear"}})


def codes(manifest: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in manifest["findings"]]


def test_the_manifest_of_a_small_tree(tmp_path: Path) -> None:
    source = "void gemv_kv_r4() {}\n"
    write(
        tmp_path,
        {
            "kernels/src/gemv_kv_r4.gfx12.hip": source,
            "crates/rdna/src/dispatch.rs": 'x\r\n  gpu.launch("gemv_kv_r4"); // HIPFIRE_B\r\n',
        },
    )
    assert scanned(tmp_path, "gemv_kv_r4", "absent") == {
        "schema": "hipfire.kernel_atlas.dispatch.v0",
        "captured_at_utc": WHEN,
        "root": str(tmp_path.resolve()),
        "arch": "gfx1201",
        "entry_count": 2,
        "entries": [
            {
                "name": "gemv_kv_r4",
                "arch": "gfx1201",
                "op": {"family": "linear"},
                "name_variants": ["gemv_kv_r4", "gemv_kv"],
                "source_files": [
                    {
                        "path": "kernels/src/gemv_kv_r4.gfx12.hip",
                        "md5": hashlib.md5(source.encode()).hexdigest(),
                        "match_score": 1100 + 250 + 140 + 25 + 15,
                        "match_reason": [
                            "stem is the name with the target family +1100",
                            "variant is a token of the stem +250",
                            "text has the name +140",
                            "file is .hip +25",
                            "under kernels/src/ +15",
                        ],
                    }
                ],
                "dispatch_refs": [
                    {
                        "path": "crates/rdna/src/dispatch.rs",
                        "line": 2,
                        "text": 'gpu.launch("gemv_kv_r4"); // HIPFIRE_B',
                        "kind": "code",
                        "match_score": 1000 + 220 + 60 + 25 + 40 + 45,
                        "match_reason": [
                            "code +1000",
                            "line has the name +220",
                            "call-like word +60",
                            "parentheses +25",
                            "file is dispatch.rs +40",
                            "under /src/ +45",
                        ],
                    },
                    {
                        "path": "kernels/src/gemv_kv_r4.gfx12.hip",
                        "line": 1,
                        "text": "void gemv_kv_r4() {}",
                        "kind": "code",
                        "match_score": 1000 + 220 + 25 + 10 + 45,
                        "match_reason": [
                            "code +1000",
                            "line has the name +220",
                            "parentheses +25",
                            "under kernels/src/ +10",
                            "under /src/ +45",
                        ],
                    },
                ],
                "env_controls": ["HIPFIRE_B", "HIPFIRE_KV_MODE"],
            },
            {
                "name": "absent",
                "arch": "gfx1201",
                "op": None,
                "name_variants": ["absent"],
                "source_files": [],
                "dispatch_refs": [],
                "env_controls": [],
            },
        ],
        "findings": [],
        "note": NOTE,
    }


def test_the_note_says_what_the_places_are() -> None:
    assert "places to look" in NOTE
    assert "do not prove" in NOTE


def test_order_is_by_score_then_path_then_line(tmp_path: Path) -> None:
    line = "gemv\n"
    write(
        tmp_path,
        {
            "kernels/src/x": "",
            "crates/b.rs": "// gemv\n" + line + line,
            "crates/a.rs": line,
            "cli/z.ts": line,
            "crates/dispatch.rs": line,
        },
    )
    (entry,) = scanned(tmp_path, "gemv")["entries"]
    assert [(ref["path"], ref["line"]) for ref in entry["dispatch_refs"]] == [
        ("crates/dispatch.rs", 1),
        ("crates/a.rs", 1),
        ("crates/b.rs", 2),
        ("crates/b.rs", 3),
        ("cli/z.ts", 1),
        ("crates/b.rs", 1),
    ]


def test_the_best_of_each_are_kept_and_the_cut_is_said(tmp_path: Path) -> None:
    write(tmp_path, {f"kernels/src/f{n:03}.hip": "gemv\n" * (n + 1) for n in range(40)})
    write(tmp_path, {"kernels/src/gemv.hip": "gemv\n"})
    manifest = scanned(tmp_path, "gemv", limit=2)
    (entry,) = manifest["entries"]
    assert [s["path"] for s in entry["source_files"]] == [
        "kernels/src/gemv.hip",
        "kernels/src/f000.hip",
    ]
    assert [(r["path"], r["line"]) for r in entry["dispatch_refs"]] == [
        ("kernels/src/f000.hip", 1),
        ("kernels/src/f001.hip", 1),
    ]
    (finding,) = manifest["findings"]
    assert finding["code"] == "ref_limit"
    assert str(41 - 2 + 821 - 2) in finding["message"]


def test_a_limit_of_nothing_lists_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"kernels/src/gemv.hip": "gemv"})
    (entry,) = scanned(tmp_path, "gemv", limit=0)["entries"]
    assert (entry["source_files"], entry["dispatch_refs"]) == ([], [])


def test_sources_with_no_positive_score_are_dropped(tmp_path: Path) -> None:
    write(tmp_path, {"kernels/src/tests/a.hip": "gemv gemv", "kernels/src/b.cu": "my_gemv"})
    (entry,) = scanned(tmp_path, "gemv")["entries"]
    assert [s["path"] for s in entry["source_files"]] == ["kernels/src/b.cu"]


def test_sources_are_files_of_the_kernel_folder_where_there_is_one(tmp_path: Path) -> None:
    write(tmp_path, {"lib/gemv.cpp": "gemv", "crates/a.hip": "gemv"})
    manifest = scanned(tmp_path, "gemv")
    paths = [s["path"] for s in manifest["entries"][0]["source_files"]]
    assert paths == ["lib/gemv.cpp", "crates/a.hip"]
    assert codes(manifest) == ["no_kernel_folder"]
    write(tmp_path, {"kernels/src/gemv.cc": ""})
    manifest = scanned(tmp_path, "gemv")
    assert [s["path"] for s in manifest["entries"][0]["source_files"]] == ["kernels/src/gemv.cc"]
    assert codes(manifest) == []


@pytest.mark.parametrize(
    ("suffix", "is_source", "is_reference"),
    [
        (".hip", True, True),
        (".cu", True, False),
        (".cpp", True, True),
        (".cc", True, False),
        (".c", True, False),
        (".h", True, True),
        (".hpp", True, True),
        (".rs", False, True),
        (".ts", False, True),
        (".js", False, True),
        (".py", False, False),
        (".HIP", False, False),
        ("", False, False),
    ],
)
def test_suffixes(tmp_path: Path, suffix: str, *, is_source: bool, is_reference: bool) -> None:
    write(tmp_path, {f"kernels/src/a{suffix}": "gemv"})
    (entry,) = scanned(tmp_path, "gemv")["entries"]
    assert bool(entry["source_files"]) is is_source
    assert bool(entry["dispatch_refs"]) is is_reference


def test_references_lie_under_three_folders_only(tmp_path: Path) -> None:
    write(tmp_path, {"a.rs": "gemv", "src/b.rs": "gemv", "kernels/c.rs": "gemv"})
    manifest = scanned(tmp_path, "gemv")
    assert manifest["entries"][0]["dispatch_refs"] == []
    assert codes(manifest) == ["no_kernel_folder", "no_reference_folder", "no_files"]


def test_text_is_the_line_without_blanks_cut_at_240_characters(tmp_path: Path) -> None:
    line = "é" * 238 + " gemv_rows HIPFIRE_FAR"
    write(tmp_path, {"cli/a.ts": f"\n\t  {line}  \r\n"})
    (entry,) = scanned(tmp_path, "gemv_rows")["entries"]
    (reference,) = entry["dispatch_refs"]
    assert reference["text"] == line[:240]
    assert reference["line"] == 2
    assert entry["env_controls"] == ["HIPFIRE_FAR"]


def test_controls_come_from_the_kept_references_only(tmp_path: Path) -> None:
    write(tmp_path, {"cli/a.ts": "// gemv HIPFIRE_COMMENT\ngemv HIPFIRE_CODE\nHIPFIRE_ELSEWHERE"})
    (entry,) = scanned(tmp_path, "gemv", limit=1)["entries"]
    assert entry["env_controls"] == ["HIPFIRE_CODE"]


def test_odd_bytes_in_names_and_contents_make_valid_json(tmp_path: Path) -> None:
    folder = tmp_path / "kernels/src"
    folder.mkdir(parents=True)
    (folder / os.fsdecode(b"gemv.\xff.hip")).write_bytes(b"\xfe\x1b[31m gemv \xff\n")
    manifest = scanned(tmp_path, "gemv", "odd\udcff")
    entry, odd = manifest["entries"]
    assert odd["name"] == odd["name_variants"][0] == "odd\\xed\\xb3\\xbf"
    assert entry["source_files"][0]["path"] == "kernels/src/gemv.\\xff.hip"
    assert entry["dispatch_refs"][0]["text"] == "\ufffd\x1b[31m gemv \ufffd"
    assert json.dumps(manifest, ensure_ascii=False).encode("utf-8")


def test_a_very_long_line_is_no_trouble(tmp_path: Path) -> None:
    write(tmp_path, {"cli/a.js": "gemv(" * 700_000})
    (entry,) = scanned(tmp_path, "gemv")["entries"]
    (reference,) = entry["dispatch_refs"]
    assert reference["text"] == ("gemv(" * 48)
    assert reference["match_score"] == 1000 + 220 + 25


def test_lines_of_one_file_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_module, "MAX_LINES_PER_FILE", 3)
    write(tmp_path, {"cli/a.js": "gemv\n" * 3, "cli/b.js": "gemv\n" * 4})
    manifest = scanned(tmp_path, "gemv")
    assert len(manifest["entries"][0]["dispatch_refs"]) == 6
    (finding,) = [f for f in manifest["findings"] if f["code"] == "line_limit"]
    assert finding["where"] == "cli/b.js"


def test_unreadable_files_are_findings_and_the_scan_goes_on(tmp_path: Path) -> None:
    write(tmp_path, {"kernels/src/a.hip": b"gemv\0", "kernels/src/gemv.hip": "gemv"})
    (tmp_path / "kernels/src/loop.hip").symlink_to(tmp_path / "kernels/src/loop.hip")
    manifest = scanned(tmp_path, "gemv")
    found = [(f["code"], f["where"]) for f in manifest["findings"]]
    assert found == [("symlink", "kernels/src/loop.hip"), ("binary", "kernels/src/a.hip")]
    assert len(manifest["entries"][0]["source_files"]) == 1


def test_each_file_is_read_once_and_the_observer_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"kernels/src/a.hip": "gemv norm", "crates/b.rs": "norm"})
    read: list[bytes] = []
    original = scan_module.read_text

    def counting(root: Path, path: Any, log: Any) -> bytes | None:
        read.append(path.raw)
        return original(root, path, log)

    monkeypatch.setattr(scan_module, "read_text", counting)
    told: list[tuple[int, int]] = []
    kernels = [KernelName("gemv"), KernelName("norm")]
    scan_tree(tmp_path, kernels, arch=None, observer=lambda *at: told.append(at))
    assert read == [b"crates/b.rs", b"kernels/src/a.hip"]
    assert told == [(1, 2), (2, 2)]


def test_names_given_twice_and_empty_names(tmp_path: Path) -> None:
    write(tmp_path, {"kernels/src/a.hip": "gemv"})
    manifest = scanned(tmp_path, "norm", "gemv", "", "norm")
    assert [entry["name"] for entry in manifest["entries"]] == ["norm", "gemv"]
    assert manifest["entry_count"] == 2
    assert codes(manifest) == ["empty_name"]


def test_what_cannot_be_scanned_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, {"file": ""})
    for root in (tmp_path / "missing", tmp_path / "file", tmp_path / ("x" * 300)):
        with pytest.raises(NotFound, match="no folder") as raised:
            scan_tree(root, [], arch=None)
        assert raised.value.hint
    with pytest.raises(BadUsage, match="-1"):
        scan_tree(tmp_path, [], arch=None, ref_limit=-1)


@settings(
    derandomize=True,
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.text(max_size=8), max_size=4), st.binary(max_size=60))
def test_no_name_and_no_content_raises(tmp_path: Path, names: list[str], content: bytes) -> None:
    write(tmp_path, {"kernels/src/a.hip": content + "".join(names).encode("utf-8", "replace")})
    manifest = scanned(tmp_path, *names)
    assert manifest["entry_count"] == len({name for name in names if name})


@pytest.mark.parametrize("name", [".*", "(", "[a", "a|b", "\\", "$^", "{2}", "a\x00b", "%s", "🦊"])
def test_names_are_never_read_as_patterns(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"cli/a.ts": f"first\nx {name} y\n" if "\x00" not in name else "first"})
    (entry,) = scanned(tmp_path, name)["entries"]
    assert [ref["line"] for ref in entry["dispatch_refs"]] == ([] if "\x00" in name else [2])
