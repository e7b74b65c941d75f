"""Which objects belong to a row, which kernels are in scope, and what is remarked."""

from typing import Any

from support.fit import hot, image, ingested, kernel, manifest, row

from atlas.ask import ask
from ledger.envelope import Draft
from ledger.passing import passing
from queries.catalog import Catalog

MIX = {"valu": 60, "vmem": 20, "salu": 20}


def fit_of(rows: list[dict[str, Any]], *more: Draft) -> dict[str, dict[str, Any]]:
    catalog = Catalog()
    with passing(catalog, [*ingested(rows), *more]) as reader:
        return {one["workload"]: one for one in ask(reader, catalog, "fit").dicts()}


def live_object(md5: str, *kernels: dict[str, Any], arch: str = "gfx1100") -> Draft:
    shown = image(*kernels, arch=arch) | {"arch": arch}
    payload = {"md5": md5, "schema_version": 1, "table_version": "t", "images": [shown]}
    return Draft("isa_object", payload)


def test_no_isa_gives_no_reading_and_never_the_newest_of_that_arch() -> None:
    other = row("other", isa=manifest(image(kernel("k", MIX))))
    fit = fit_of([row("bare", profile=(hot("k", 60.0), hot("b", 40.0))), other])["bare"]
    assert (fit["scope"], fit["limit_text"], fit["lanes"]) == ("none", None, [])
    assert fit["unmatched"] == ["k", "b"]
    assert "--isa-dir" in fit["collect"]


def test_scopes() -> None:
    isa = manifest(image(kernel("k", MIX), kernel("cold", {"matrix": 50})))
    fits = fit_of(
        [
            row("matched", isa=isa, profile=(hot("k", 60.0), hot("absent", 40.0))),
            row(
                "unmatched",
                isa=isa,
                profile=(hot("absent", 40.0), hot("gone", 60.0)),
                phase="prefill",
            ),
            row("no profile", isa=isa),
        ]
    )
    assert fits["matched"]["scope"] == "profile-matched"
    assert fits["matched"]["in_scope"] == 1
    assert fits["matched"]["shares"] == "time-weighted"
    assert fits["matched"]["unmatched"] == ["absent"]
    assert fits["unmatched"]["scope"] == "profile-unmatched"
    assert fits["unmatched"]["in_scope"] == 2
    assert fits["unmatched"]["unmatched"] == ["gone", "absent"]
    assert fits["unmatched"]["shares"] == "static"
    assert any("none of the 2 profiled" in text for text in fits["unmatched"]["remarks"])
    assert fits["no profile"]["scope"] == "all-inspected"
    assert any("no profile" in text for text in fits["no profile"]["remarks"])


def test_names_match_by_name_symbol_and_summary() -> None:
    symbol = kernel("demangled()", MIX) | {"symbol": "_Zmangled.kd"}
    aliased = kernel("own", MIX)
    aliased["instruction_summary"]["kernel_symbols"] = ["alias"]
    isa = manifest(image(symbol, aliased))
    names = ("demangled()", "_Zmangled", "_Zmangled.kd", "alias", "own", "OWN", "mangled")
    fits = fit_of([row(name, isa=isa, profile=(hot(name, 99.0),)) for name in names])
    matched = {name for name in names if fits[name]["scope"] == "profile-matched"}
    assert matched == set(names) - {"OWN", "mangled"}


def test_without_a_mix_per_kernel_the_whole_object_is_the_scope() -> None:
    whole = image(kernel("a"), kernel("b"))
    whole["instruction_summary"] = {
        "instruction_count": 10,
        "kernel_symbols": ["a", "b", "c"],
        "category_counts": {"valu": 9, "vmem": 1},
    }
    other = image(kernel("d", {"lds": 100}))
    isa = manifest(whole, other, producer=None)
    fits = fit_of([row(name, isa=isa, profile=(hot(name, 50.0),)) for name in ("a", "c", "d")])
    for name in ("a", "c"):
        assert fits[name]["scope"] == "profile-matched"
        assert fits[name]["instructions"] == 10
        assert any("whole object" in text for text in fits[name]["remarks"])
    assert fits["d"]["instructions"] == 100
    assert not any("whole object" in text for text in fits["d"]["remarks"])
    assert any("an older tool" in text and "padding" in text for text in fits["d"]["remarks"])


def test_several_kernels_of_one_whole_object_count_it_once() -> None:
    whole = image(kernel("a"), kernel("b"))
    whole["instruction_summary"]["category_counts"] = {"valu": 10}
    fit = fit_of([row("all", isa=manifest(whole, producer="x"))])["all"]
    assert fit["instructions"] == 10
    assert fit["in_scope"] == 2


def test_identical_code_in_two_files_counts_once() -> None:
    one = kernel("k", MIX, code_sha256="c0")
    fit = fit_of([row("twice", isa=manifest(image(one), image(one)))])["twice"]
    assert (fit["in_scope"], fit["instructions"], fit["objects"]) == (1, 100, 2)


def test_images_for_other_cards_are_left_out() -> None:
    isa = manifest(
        image(kernel("k", MIX), arch="gfx1201"),
        image(kernel("k", {"valu": 7}), arch="gfx1100"),
        image(kernel("g", {"valu": 1}), arch="gfx11-generic"),
    )
    fits = fit_of([row("here", isa=isa), row("away", isa=isa, arch="gfx906")])
    assert fits["here"]["instructions"] == 8
    assert (fits["away"]["scope"], fits["away"]["limit_text"]) == ("none", None)
    assert "gfx1201" in fits["away"]["collect"]


def test_a_manifest_outranks_the_code_objects_and_both_a_given_file() -> None:
    md5 = "ab" * 16
    entries = [["k.hsaco", md5]]
    digest = "d" * 64
    draft = Draft(
        "collection",
        {
            "context": {"code_objects": {"digest": digest, "entries": entries}},
            "rows": [
                {
                    "row": row("folder", provenance={"code_objects_sha256": digest}),
                    "row_id": "0" * 15 + "1",
                    "given": {"isa": "e" * 32},
                }
            ],
        },
    )
    named = row(
        "named",
        isa=manifest(image(kernel("n", {"valu": 5}))),
        provenance={"code_objects_sha256": digest},
    )
    fits = fit_of([named], draft, live_object(md5, kernel("k", MIX)))
    assert fits["folder"]["found_by"] == "code objects"
    assert fits["folder"]["instructions"] == 100
    assert fits["named"]["found_by"] == "manifest"
    assert fits["named"]["instructions"] == 5


def test_a_live_manifest_names_its_objects_by_digest() -> None:
    md5 = "cd" * 16
    rows = [row("live", artifacts={"isa": {"manifest_md5": "f" * 32, "manifest_path": "m.json"}})]
    imported = Draft(
        "isa_manifest",
        {"source": {"file_md5": "F" * 32}, "document": manifest(image(kernel("k", MIX)))},
    )
    fits = fit_of(rows, imported, live_object(md5, kernel("other", {"valu": 1})))
    assert (fits["live"]["found_by"], fits["live"]["instructions"]) == ("manifest", 100)
    assert "m.json" in fit_of(rows)["live"]["collect"]


def test_few_waves_are_a_remark_beside_the_read() -> None:
    half = kernel("half", MIX, vgpr_count=184)
    fits = fit_of(
        [
            row("half", isa=manifest(image(half)), profile=(hot("half", 90.0),)),
            row(
                "more",
                isa=manifest(image(kernel("k", MIX, vgpr_count=168))),
                profile=(hot("k", 90.0),),
            ),
            row(
                "spills",
                isa=manifest(image(kernel("k", MIX, vgpr_count=256, vgpr_spill_count=3))),
                profile=(hot("k", 90.0),),
            ),
        ]
    )
    assert (fits["half"]["min_waves"], fits["half"]["max_waves"]) == (8, 16)
    assert any("half the waves" in text for text in fits["half"]["remarks"])
    assert fits["half"]["limit_text"] == "memory/launch, not matrix throughput"
    assert fits["more"]["min_waves"] == 9
    assert not fits["more"]["remarks"]
    assert not any("half the waves" in text for text in fits["spills"]["remarks"])


def test_hostile_manifests_give_no_error_and_no_nonsense() -> None:
    strange: dict[str, Any] = {
        "schema": "hipfire.kernel_atlas.isa.v0",
        "objects": [
            5,
            {"kernels": "none"},
            {"kernels": [None, [], {"name": "k", "vgpr_count": 2**70, "sgpr_count": -4}]},
            image(kernel("k", {"valu": -3, "vmem": 2**70, "salu": 1})),
        ],
    }
    fit = fit_of([row("strange", isa=strange, profile=(hot("k", 50.0),))])["strange"]
    assert fit["instructions"] == 1
    assert fit["max_sgpr"] in (16, None)
    assert fit["max_vgpr"] in (32, None)


def test_an_unknown_card_has_no_lane_claimed() -> None:
    isa = manifest(image(kernel("k", MIX), arch="gfx7777"))
    fits = fit_of([row("new", isa=isa, arch="gfx7777"), row("old", isa=isa, arch="gfx906")])
    assert {lane["available"] for lane in fits["new"]["lanes"]} == {None}
    assert fits["new"]["matrix_unit"] is None
    assert "no capability is claimed" in fits["new"]["arch_note"]


def test_hot_kernels_without_an_object_are_listed_whether_or_not_others_have_one() -> None:
    isa = manifest(image(kernel("k", MIX)))
    rows = [
        row("some", isa=isa, profile=(hot("k.kd", 50.0), hot("x", 20.0))),
        row("none", profile=(hot("k", 10.0),)),
    ]
    catalog = Catalog()
    with passing(catalog, ingested(rows)) as reader:
        found = ask(reader, catalog, "unmatched").dicts()
    assert [(one["kernel"], one["pct"], one["has_isa"]) for one in found] == [
        ("x", 20.0, True),
        ("k", 10.0, False),
    ]


def test_the_outcome_of_code_is_told_only_where_one_code_ran() -> None:
    one = manifest(image(kernel("k", MIX, vgpr_count=40, code_sha256="a")))
    two = manifest(
        image(kernel("k", MIX, code_sha256="a")), image(kernel("k", {"valu": 9}, code_sha256="b"))
    )
    rows = [
        row("one", isa=one, profile=(hot("k", 50.0, avg_us=7.0),)),
        row("two", isa=two, profile=(hot("k", 50.0),)),
    ]
    catalog = Catalog()
    with passing(catalog, ingested(rows)) as reader:
        found = ask(reader, catalog, "isa_outcome").dicts()
    assert [(each["kernel"], each["vgpr"], each["avg_us"]) for each in found] == [("k", 40, 7.0)]
