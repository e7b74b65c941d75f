from collections.abc import Iterator
from typing import Any

import pytest
from support.evidence import series

from atlas.compare.sides import (
    Compared,
    Incomparable,
    Question,
    compare,
    compare_members,
    refuse,
    told_fields,
)
from atlas.errors import BadUsage, NotFound
from atlas.select import find_row, parse_selection, select
from ledger.passing import passing
from ledger.reader import Reader
from queries.catalog import Catalog

A = [129.8, 129.2, 129.4, 129.1]
B = [132.9, 132.7, 131.7, 132.0]
NEW = "9b41" + "1" * 36
PROGRAM = "b2" + "0" * 30
D = "decode_dflash"
TREATED = {"git_sha": NEW, "binary_md5": PROGRAM}
FIRST = [["a.hsaco", "11"], ["b.hsaco", "22"]]

SESSIONS: dict[str, dict[str, Any]] = {
    "base": {"entries": FIRST},
    "code": TREATED,
    "short": {**TREATED, "git_sha": NEW[:8]},
    "again": {},
    "host": {"host": "basalt"},
    "model": {"model": {"path": "/m/9b.hfq", "md5": "5" * 32, "bytes": 5_000}},
    "nomd5": {"model": {"path": "/m/9b.hfq", "bytes": 5_000}},
    "resized": {"model": {"path": "/m/9b.hfq", "bytes": 5_001}},
    "nomodel": {"model": {}},
    "arch": {"arch": "gfx1151"},
    "device": {"device_index": 1},
    "nodevice": {"device_index": None},
    "nodevice2": {"device_index": None, **TREATED},
    "visible": {"visible": "HIP_VISIBLE_DEVICES=1"},
    "quant": {"quant": "mq6"},
    "noquant": {"quant": "unknown"},
    "phase": {"phase": "prefill", "metric": "gen_tok_s"},
    "shape": {"shape_bucket": "decode_ar_pp32_gen50"},
    "kv": {"kv_mode": "fwht4"},
    "profiled": {"env": {"HIPFIRE_KV_MODE": "q8", "HIPFIRE_PROFILE": "1"}},
    "graph": {"env": {"HIPFIRE_KV_MODE": "q8", "HIPFIRE_GRAPH": "1"}},
    "graph0": {"env": {"HIPFIRE_KV_MODE": "q8", "HIPFIRE_GRAPH": "0"}},
    "graphobj": {
        "env": {"HIPFIRE_KV_MODE": "q8", "HIPFIRE_GRAPH": "1"},
        "code_objects": "0d" * 32,
    },
    "metric": {"metric": "tau"},
    "dirty": {"git_state": "dirty", "diff_md5": "d" * 32},
    "dirty2": {"git_state": "dirty", "diff_md5": "e" * 32},
    "norepo": {"git_state": "unknown"},
    "objects": {"code_objects": "0e" * 32},
    "noobjects": {"code_objects": None},
    "grown": {"code_objects": "0f" * 32, "entries": [*FIRST, ["c.hsaco", "33"]]},
    "rebuilt": {"code_objects": "1f" * 32, "entries": [["a.hsaco", "12"], FIRST[1]]},
    "hip": {"hip_version": "7.0.0"},
    "rocm": {"rocm_version": "7.0.0"},
    "noversions": {"hip_version": None, "rocm_version": None},
    "script": {"kind": "script"},
    "command": {"command": ["./bench", "/m/9b.hfq", "--gen", "9"]},
    "d1": {"phase": D},
    "d2": {"phase": D, **TREATED},
    "dprompt": {"phase": D, "prompt_md5": "7" * 32},
    "ddraft": {"phase": D, "draft_md5": "7" * 32},
    "dnone": {"phase": D, "prompt_md5": None},
    "dnone2": {"phase": D, "prompt_md5": None, **TREATED},
}


REFUSED = [
    # what belongs to the workload, under the default factor
    ("code", "base", "host", "host differs (amber / basalt)"),
    ("code", "base", "arch", "arch differs (gfx1100 / gfx1151)"),
    ("code", "base", "device", "device_index differs (0 / 1)"),
    ("code", "base", "nodevice", "device_index unknown (0 / unknown)"),
    ("code", "base", "visible", "visible differs ((unset) / HIP_VISIBLE_DEVICES=1)"),
    ("code", "base", "quant", "quant differs (mq4 / mq6)"),
    ("code", "base", "noquant", "quant unknown (mq4 / unknown)"),
    ("code", "base", "phase", "phase differs (decode_ar / prefill)"),
    ("code", "base", "kv", "kv_mode differs (q8 / fwht4)"),
    ("code", "base", "profiled", "profiled differs (false / true)"),
    ("code", "base", "graph", "env:HIPFIRE_GRAPH differs ((unset) / 1)"),
    ("code", "base", "metric", "metric differs (gen_tok_s / tau)"),
    ("code", "nomd5", "resized", "model differs (/m/9b.hfq of 5000 bytes / /m/9b.hfq of 5001"),
    ("code", "base", "nomodel", "model unknown"),
    ("code", "d1", "dprompt", "prompt_md5 differs"),
    ("code", "d1", "ddraft", "draft_md5 differs"),
    ("code", "d1", "dnone", "prompt_md5 unknown"),
    ("code", "dnone", "dnone2", "prompt_md5 unknown"),
    # what belongs to the treatment, under factors that hold it fast
    ("aa", "base", "code", "binary_md5 differs"),
    ("aa", "base", "code", "git_sha differs"),
    ("aa", "base", "dirty", "tree differs (clean / dddd"),
    ("aa", "dirty", "dirty2", "tree differs"),
    ("aa", "base", "norepo", "tree unknown (clean / unknown)"),
    ("aa", "base", "objects", "code_objects differs"),
    ("aa", "base", "rebuilt", "code_objects differs"),
    ("aa", "base", "noobjects", "code_objects unknown"),
    ("aa", "base", "hip", "versions differs (HIP 6.4.1 | ROCm 6.4.1 / HIP 7.0.0 |"),
    ("aa", "base", "rocm", "versions differs"),
    ("aa", "base", "noversions", "versions unknown"),
    ("aa", "base", "host", "host differs"),
    ("host", "base", "code", "git_sha differs"),
    ("env:HIPFIRE_GRAPH", "base", "code", "binary_md5 differs"),
    ("env:HIPFIRE_OTHER", "base", "graph", "env:HIPFIRE_GRAPH differs"),
]
ALLOWED = [
    ("code", "base", "code", "faster", ["binary_md5", "git_sha"]),
    ("code", "d1", "d2", "faster", ["binary_md5", "git_sha"]),
    ("code", "code", "short", "identical_binary", []),
    ("code", "base", "again", "identical_binary", []),
    ("code", "base", "grown", "identical_binary", ["code_objects"]),
    ("code", "base", "rebuilt", "faster", ["code_objects"]),
    ("code", "base", "noobjects", "faster", ["code_objects"]),
    ("code", "base", "script", "faster", []),
    ("code", "base", "command", "faster", []),
    ("code", "base", "dirty", "identical_binary", ["tree"]),
    ("code", "base", "hip", "identical_binary", ["versions"]),
    ("code", "base", "nomd5", "identical_binary", []),
    ("code", "nodevice", "nodevice2", "same", ["binary_md5", "git_sha"]),
    ("aa", "base", "again", "faster", []),
    ("aa", "base", "grown", "faster", ["code_objects"]),
    ("host", "base", "host", "faster", ["host"]),
    ("env:HIPFIRE_GRAPH", "base", "graph", "faster", ["env:HIPFIRE_GRAPH"]),
    ("env:HIPFIRE_GRAPH", "graph0", "graph", "same", ["env:HIPFIRE_GRAPH"]),
    (
        "env:HIPFIRE_GRAPH",
        "base",
        "graphobj",
        "faster",
        ["code_objects", "env:HIPFIRE_GRAPH"],
    ),
    ("code", "base", "three", "insufficient", ["binary_md5", "git_sha"]),
]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog()


@pytest.fixture(scope="module")
def reader(catalog: Catalog) -> Iterator[Reader]:
    drafts = [
        one
        for place, (name, changed) in enumerate(SESSIONS.items())
        for one in series(f"{name}.", A if name in ("base", "d1") else B, 10 * place, **changed)
    ]
    drafts += series("base2.", [129.0, 129.5, 129.3, 129.9], 600, shape_bucket="pp64")
    drafts += series("code2.", [129.1, 129.6, 129.2, 129.8], 610, shape_bucket="pp64", **TREATED)
    drafts += series("three.", B[:3], 620, **TREATED)
    drafts += series("cut.", B, 630, status="partial")
    drafts += series("mute.", [None] * 4, 640)  # type: ignore[list-item]
    drafts += series("cold.", B, 650, tags=["cold"], **TREATED)
    with passing(catalog, drafts) as found:
        yield found


@pytest.fixture(scope="module")
def judged(reader: Reader, catalog: Catalog) -> dict[tuple[str, str, str], dict[str, Any]]:
    """All pairs of the tables, one statement for each factor."""
    rows = reader.ask("SELECT row_id, session FROM rows").rows
    found = {}
    asked = {(row[0], row[1], row[2]) for row in (*REFUSED, *ALLOWED)}
    for factor in {row[0] for row in asked}:
        members = [
            {"pair": f"{a}>{b}", "side": side, "id": row}
            for one, a, b in asked
            if one == factor
            for side, name in (("a", a), ("b", b))
            for row, session in rows
            if session == f"{name}."
        ]
        for pair in compare_members(reader, catalog, members, Question(factor)).pairs:
            a, b = pair["pair"].split(">")
            found[factor, a, b] = pair
    return found


def asked(reader: Reader, catalog: Catalog, a: str, b: str, factor: str = "code") -> Compared:
    sides = (f"session={a}.", f"session={b}.")
    return compare(reader, catalog, sides, Question(factor, explain=False))


def one(reader: Reader, catalog: Catalog, a: str, b: str, factor: str = "code") -> dict[str, Any]:
    compared = asked(reader, catalog, a, b, factor)
    assert len(compared.pairs) == 1
    assert compared.overall is None
    return compared.pairs[0]


@pytest.mark.parametrize(("factor", "a", "b", "said"), REFUSED)
def test_a_refusal_names_the_field(
    judged: dict[tuple[str, str, str], dict[str, Any]], factor: str, a: str, b: str, said: str
) -> None:
    pair = judged[factor, a, b]
    assert pair["verdict"] == "incomparable"
    assert pair["ratio"] is None
    assert said in told_fields(pair)
    with pytest.raises(Incomparable, match="not comparable: ") as refusal:
        refuse(Compared([pair], None))
    assert refusal.value.exit_code == 1


@pytest.mark.parametrize(("factor", "a", "b", "verdict", "changed"), ALLOWED)
def test_what_the_factor_allows(  # one column of the table each
    judged: dict[tuple[str, str, str], dict[str, Any]],
    factor: str,
    a: str,
    b: str,
    verdict: str,
    changed: list[str],
) -> None:
    pair = judged[factor, a, b]
    told = {field["field"] for field in pair["changed"]}
    assert (pair["verdict"], told) == (verdict, set(changed)), told_fields(pair)


def test_a_side_is_one_treatment(reader: Reader, catalog: Catalog) -> None:
    sides = ("session=base.", "arch=gfx1100,binary_md5=b,phase=decode_ar")
    pairs = compare(reader, catalog, sides, Question()).pairs
    same_workload = next(pair for pair in pairs if pair["samples_a"])
    assert "runs shared by both sides" in told_fields(same_workload)
    assert "binary_md5 mixed" in told_fields(same_workload)


def test_many_workloads_are_paired_by_workload(reader: Reader, catalog: Catalog) -> None:
    sides = ("git_sha=3f2a,host=amber,shape_bucket=pp64", "shape_bucket=pp64,git_sha=9b41")
    single = compare(reader, catalog, sides, Question())
    assert [pair["shape_bucket"] for pair in single.pairs] == ["pp64"]
    both = [
        {"side": side, "id": row[0]}
        for side, names in (("a", ("base.", "base2.")), ("b", ("code.", "code2.")))
        for name in names
        for row in reader.ask(
            catalog.call(catalog.queries["views"]["selected_rows"], ["session"]), {"session": name}
        ).rows
    ]
    found = compare_members(reader, catalog, both, Question(explain=True))
    assert {pair["shape_bucket"]: pair["verdict"] for pair in found.pairs} == {
        "decode_ar_pp128_gen50": "faster",
        "pp64": "same",
    }
    assert found.overall is not None
    assert (found.overall["n"], found.overall["left_out"]) == (2, 0)
    by_shape = {pair["shape_bucket"]: pair for pair in found.pairs}
    assert by_shape["decode_ar_pp128_gen50"]["p_adjusted"] == pytest.approx(
        2 * by_shape["decode_ar_pp128_gen50"]["p"]
    )
    refuse(found)


def test_a_workload_that_one_side_lacks_is_told_and_left_out(
    reader: Reader, catalog: Catalog
) -> None:
    sides = ("session=base", "session=code.")
    found = compare(reader, catalog, sides, Question())
    told = {pair["shape_bucket"]: told_fields(pair) for pair in found.pairs}
    assert told == {"decode_ar_pp128_gen50": "", "pp64": "workload only in A"}
    assert found.overall == {"ratio": found.overall["ratio"], "n": 1, "left_out": 1}
    refuse(found)


@pytest.mark.parametrize(
    ("session", "why"),
    [("cut.", "is partial \\(said so\\)"), ("mute.", "has no value of gen_tok_s")],
)
def test_what_is_no_sample_says_why(
    reader: Reader, catalog: Catalog, session: str, why: str
) -> None:
    with pytest.raises(Incomparable, match=why):
        compare(reader, catalog, (f"session={session}", "session=base."), Question())


def test_one_row_stands_for_its_series(reader: Reader, catalog: Catalog) -> None:
    row = find_row(reader, catalog, "session=base.")
    other = find_row(reader, catalog, "session=code.")
    pair = compare(reader, catalog, (row["row_id"], other["event_id"]), Question()).pairs[0]
    assert (pair["n_a"], pair["n_b"], pair["grade"]) == (4, 4, "sessions")
    assert pair["samples_a"] == A


def test_remarks_say_what_weakens_a_verdict(reader: Reader, catalog: Catalog) -> None:
    said = {
        name: " ".join(one(reader, catalog, a, name, factor)["remarks"])
        for a, name, factor in (
            ("base", "cold", "code"),
            ("base", "dirty2", "code"),
            ("nodevice", "nodevice2", "code"),
            ("base", "grown", "aa"),
        )
    }
    assert "cold starts among the runs: 0 and 4" in said["cold"]
    assert "a worktree was dirty" in said["dirty2"]
    assert "device index unknown on both sides" in said["nodevice2"]
    assert "only grew" in said["grown"]
    assert all("perf-only" in one for one in said.values())


def test_the_smallest_change_of_interest_may_be_given(reader: Reader, catalog: Catalog) -> None:
    sides = ("session=base.", "session=code.")
    pair = compare(reader, catalog, sides, Question(delta=0.05)).pairs[0]
    assert (pair["verdict"], pair["delta"]) == ("faster_small", 0.05)


@pytest.mark.parametrize("factor", ["", "codes", "env:", "env:A-B", "env:A=1"])
def test_an_unknown_factor_is_refused(factor: str) -> None:
    with pytest.raises(BadUsage, match="is no factor"):
        Question(factor)


@pytest.mark.parametrize("delta", [-0.1, 1.0, float("nan")])
def test_a_delta_is_a_fraction(delta: float) -> None:
    with pytest.raises(BadUsage, match="fraction"):
        Question(delta=delta)


def test_rows_are_found_by_what_people_type(reader: Reader, catalog: Catalog) -> None:
    assert find_row(reader, catalog)["event_id"] == find_row(reader, catalog, "latest")["event_id"]
    newest = find_row(reader, catalog, "latest")
    assert find_row(reader, catalog, newest["row_id"][:10]) == newest
    graph = select(reader, catalog, "HIPFIRE_GRAPH=1,device_index=0,profiled=false")
    assert (len(graph.rows), graph.is_selection) == (8, True)
    with pytest.raises(NotFound, match="no row fits arch=gfx906"):
        find_row(reader, catalog, "arch=gfx906")
    with pytest.raises(NotFound, match="no event or row"):
        find_row(reader, catalog, "ffffffffffffff")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("arhc=gfx1100", "no key 'arhc'"),
        ("event_id=1", "no key 'event_id'"),
        ("arch=a,arch=b", "arch stands twice"),
        ("arch=a,quant", "'quant' is no k=v"),
    ],
)
def test_a_selection_is_checked(catalog: Catalog, text: str, said: str) -> None:
    with pytest.raises(BadUsage, match=said):
        parse_selection(catalog, text)


def test_a_selection_becomes_parameters(catalog: Catalog) -> None:
    assert parse_selection(catalog, "arch=gfx1201, git_sha=3f2a,HIPFIRE_GRAPH=1,HSA_X=") == {
        "arch": "gfx1201",
        "git_sha": "3f2a",
        "env": ["HIPFIRE_GRAPH=1", "HSA_X="],
    }
