from __future__ import annotations

import pytest

from atlas.dispatch.env_controls import controls_in_text, env_controls


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gemv_multirow_r4", ("HIPFIRE_GEMV_ROWS",)),
        ("gemv_hfq4g256_residual", ("HIPFIRE_GEMV_ROWS",)),
        ("gemv_hfq4g256", ()),
        ("attention_decode", ("HIPFIRE_ATTN_FLASH",)),
        ("flash_tile", ("HIPFIRE_ATTN_FLASH",)),
        ("kv_cache_write", ("HIPFIRE_KV_MODE",)),
        ("write_kv", ("HIPFIRE_KV_MODE",)),
        ("KV_write", ("HIPFIRE_KV_MODE",)),
        ("fused_qkv", ()),
        ("fused_QKV", ()),
        ("fused_qkvza", ()),
        ("fused_qkv_to_kv", ("HIPFIRE_KV_MODE",)),
        ("attention_flash_kv_q8", ("HIPFIRE_ATTN_FLASH", "HIPFIRE_KV_MODE")),
        ("rmsnorm", ()),
    ],
)
def test_controls_known_for_a_name(name: str, expected: tuple[str, ...]) -> None:
    assert env_controls(name, ()) == expected


def test_controls_in_a_line() -> None:
    line = b'env("HIPFIRE_B2_X") || HIPFIRE_A; HIPFIRE_; hipfire_a; HIPFIRE_lower'
    assert controls_in_text(line + b"HIPFIRE_A") == ("HIPFIRE_B2_X", "HIPFIRE_A")
    assert controls_in_text(b" " * 65_536 + line) == ()


def test_all_are_listed_once_and_sorted() -> None:
    found = env_controls("kv_write", ("HIPFIRE_Z", "HIPFIRE_KV_MODE", "HIPFIRE_A", "HIPFIRE_Z"))
    assert found == ("HIPFIRE_A", "HIPFIRE_KV_MODE", "HIPFIRE_Z")
