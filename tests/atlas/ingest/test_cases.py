"""Real public inputs and their right readings, where the folder with them exists."""

from typing import Any

import pytest
from support.cli import CASES, Host

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the folder of real cases is not here")


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A ledger that holds all cases."""
    host = Host(tmp_path_factory.mktemp("cases"))
    done = host.atlas("ingest", str(CASES))
    assert done.returncode == 2
    assert "26-truncated-performance.json: JSON truncated at byte 14" in done.stderr
    return host


def rows(host: Host, number: str) -> list[dict[str, Any]]:
    """Rows of one case, in order."""
    return host.sql(
        "SELECT r.* FROM rows r JOIN recording c USING (event_id)"
        f" WHERE c.source_name LIKE '%/{number}-%' ORDER BY r.ordinal"
    )


def close(row: dict[str, Any], **expected: float) -> None:
    for name, value in expected.items():
        assert row["metrics"][name] == pytest.approx(value), name


def test_01_a_cold_dflash_demo(cases: Host) -> None:
    (row,) = rows(cases, "01")
    assert (row["phase"], row["arch"], row["hip_version"]) == ("decode_dflash", "gfx1151", "7.2")
    assert (row["kv_mode"], row["device_index"]) == ("asym3", 0)
    assert "cold" in row["tags"]
    close(
        row, prompt_tokens=231, prefill_secs=9.0969, prefill_tok_s=25.39, ttft_ms=11523.23,
        emitted_tokens=123, elapsed_s=3.1274, decode_tok_s=39.33, tau=8.3846,
        decode_accept_rate=0.5590, vram_used_mb=7258, vram_total_mb=98304, cycles=13,
        committed=135, accepted=109,
    )  # fmt: skip
    entry = cases.json("show", row["row_id"])["payload"]["rows"][0]["row"]
    assert entry["artifacts"]["runtime_route"]["graph_blob_count"] == 604
    assert len(entry["artifacts"]["histogram"]) == 17


def test_02_an_mtp_demo_with_a_profile(cases: Host) -> None:
    (row,) = rows(cases, "02")
    assert row["phase"] == "decode_dflash"
    assert "mtp" in row["tags"]
    assert row["profiled"] is True
    assert row["prompt_md5"].startswith("0a34fd69")
    close(
        row, tau=2.1695, decode_tok_s=67.81, elapsed_s=7.565, prefill_tok_s=606.91,
        trunk_prefill_tok_s=8605.56, cycles=236, accepted=276,
    )  # fmt: skip
    kernels = cases.sql(
        f"SELECT * FROM profile_kernels WHERE row_id = '{row['row_id']}' ORDER BY position"
    )
    assert len(kernels) == 27
    first = kernels[0]
    assert (first["calls"], first["total_ms"], first["avg_us"], first["pct"]) == (
        384,
        52.91,
        138,
        15.9,
    )
    entry = cases.json("show", row["row_id"])["payload"]["rows"][0]["row"]["artifacts"]
    assert entry["profile"]["launches"] == 8376
    assert entry["profile"]["cycles"] == 8
    assert entry["profile"]["total_ms"] == 331.8
    assert entry["profile_kernels"][0]["mb"] == 1608.6


def test_03_an_arm_saved_as_keys_and_values(cases: Host) -> None:
    (row,) = rows(cases, "03")
    close(
        row, decode_tok_s=303.76, tau=13.1818, emitted_tokens=157, decode_accept_rate=0.8788,
        cycles=11,
    )  # fmt: skip
    text = str(cases.json("show", row["row_id"]))
    assert "bf4e0cf241115e8c9f1aca1fc84953996c2185d03ca65321fb9a78a2c38a10aa" in text


def test_18_hipfire_bench(cases: Host) -> None:
    found = rows(cases, "18")
    assert {(row["arch"], row["hip_version"], row["kv_mode"]) for row in found} == {
        ("gfx1100", "7.2", "asym3")
    }
    buckets = {row["shape_bucket"]: row["value"] for row in found if row["shape_bucket"]}
    assert buckets == {"pp128": 603, "pp512": 592, "pp1024": 588, "pp2048": 580}
    decode = [row["value"] for row in found if row["phase"] == "decode_ar"]
    prefill = [row for row in found if row["phase"] == "prefill" and not row["shape_bucket"]]
    assert decode == [122.2, 122.5, 122.2]
    assert [row["value"] for row in prefill] == [169, 416, 420]
    assert [row["metrics"]["ttft_ms"] for row in prefill] == [119, 48, 48]
    assert [("cold" in row["tags"]) for row in prefill] == [True, False, False]


def test_25_a_chat_with_escapes(cases: Host) -> None:
    (row,) = rows(cases, "25")
    assert (row["arch"], row["kv_mode"], row["value"]) == ("gfx906", "q8", 23.9)
    close(row, gen_tokens=12)


def test_28_a_summary_over_two_lines(cases: Host) -> None:
    prefill, decode = rows(cases, "28")
    assert prefill["value"] == 41.6
    close(decode, gen_tok_s=42.9, bw_gib_s=182.3, avg_ms=23.22, p50_ms=23.22)


def test_29_two_realigned_profile_tables(cases: Host) -> None:
    found = rows(cases, "29")
    assert [(row["value"], row["kernels"], row["profiled"]) for row in found] == [
        (1082.8, 7, True),
        (469.3, 7, True),
    ]
    payload = cases.json("show", found[0]["event_id"])["payload"]
    profiles = [entry["row"]["artifacts"]["profile"] for entry in payload["rows"]]
    assert [(one["total_ms"], one["wall_ms"]) for one in profiles] == [
        (219.9, 236.4),
        (530.0, 545.5),
    ]


def test_32_two_devices_and_a_cut_number(cases: Host) -> None:
    found = rows(cases, "32")
    keyed = {(row["device_index"], row["phase"]): row for row in found}
    assert keyed[0, "decode_ar"]["value"] == 124.4
    assert keyed[0, "prefill"]["value"] == 738.9
    assert keyed[1, "prefill"]["value"] == 780.6
    close(keyed[1, "prefill"], ttft_ms=25.6)
    assert (1, "decode_ar") not in keyed
    codes = cases.sql("SELECT code FROM findings WHERE source_name LIKE '%/32-%'")
    assert {"code": "number_cut"} in codes


def test_47_a_phase_outside_the_contract(cases: Host) -> None:
    (row,) = rows(cases, "47")
    assert (row["phase"], row["status"], row["arch"]) == ("decode", "quarantined", "gfx1201")
    assert "10254263892362831541" in cases.atlas("export").stdout


def test_the_rest_is_kept_and_said_not_to_be_understood(cases: Host) -> None:
    found = cases.sql("SELECT source_name FROM findings WHERE code = 'not_understood'")
    numbers = sorted(row["source_name"].rsplit("/", 1)[1][:2] for row in found)
    assert numbers == ["06", "08", "09", "10", "37", "41", "43", "46"]


def test_a_second_ingest_adds_nothing(cases: Host) -> None:
    done = cases.atlas("ingest", str(CASES))
    assert done.returncode == 2
    assert "nothing new" in done.stdout


def test_hot_kernels_are_answered_from_the_cases(cases: Host) -> None:
    found = cases.json("query", "hot-kernels", "--arch", "gfx1151")
    assert found[0]["kernel"] == "gemm_hfq4g256_moe_grouped_wmma_k2"
    assert {row["arch"] for row in found} == {"gfx1151"}
