import duckdb
import pytest


def op(con: duckdb.DuckDBPyConnection, name: str | None) -> tuple[str, str]:
    query = "SELECT op.family || '.' || op.role, op.phase_hint FROM (SELECT op_of(?) AS op)"
    role, phase = con.execute(query, [name]).fetchall()[0]
    return role, phase


BOTH = "prefill/decode"


@pytest.mark.parametrize(
    ("name", "role", "phase"),
    [
        ("fused_qkvza_hfq4g256", "attention.qkvza_projection", BOTH),
        ("fused_qkv_hfq4g256", "attention.qkv_projection", BOTH),
        ("fused_qk_l2_norm_scale_f32", "attention.qk_norm_scale", "decode"),
        ("attention_flash_asym3", "attention.flash_attention", BOTH),
        ("Flash_Decode", "attention.flash_attention", BOTH),
        ("write_kv_cache_q8", "attention.kv_cache", "decode"),
        ("rope_f32", "position.rope_rotate", BOTH),
        ("mq_rotate_x", "position.rope_rotate", BOTH),
        ("rmsnorm_f32", "norm.normalization", BOTH),
        ("gated_norm_f32", "norm.normalization", BOTH),
        ("gemm_gate_up_hfq4g256", "mlp.gate_up_projection", BOTH),
        ("swiglu_f32", "mlp.swiglu", BOTH),
        ("gemv_hfq4g256_residual.kd", "linear.residual_gemv", "decode"),
        ("gemv_hfq4g256_multirow_r2", "linear.multirow_gemv", "decode"),
        ("GEMV_Q8_0", "linear.gemv", "decode"),
        ("gemm_q8_0_residual_wmma", "linear.residual_gemm", "prefill"),
        ("gemm_q8_0_wmma", "linear.gemm", "prefill"),
        ("something_else", "unknown.unknown", "unknown"),
        ("", "unknown.unknown", "unknown"),
        (None, "unknown.unknown", "unknown"),
    ],
)
def test_classic_attribution(
    macros: duckdb.DuckDBPyConnection, name: str | None, role: str, phase: str
) -> None:
    assert op(macros, name) == (role, phase)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("gemm_qkvza_hfq4g256_wmma", "attention.qkvza_projection"),
        ("gemm_qkv_q8_0_wmma", "attention.qkv_projection"),
        ("fused_rmsnorm_mq_rotate", "norm.normalization"),
        ("fused_silu_mul_mq_rotate_batched", "mlp.silu"),
        ("moe_topk_renorm_k8", "moe.router_topk"),
        ("moe_gate_up_unscatter_k8", "moe.scatter"),
        ("moe_down_combine_grouped_k8", "moe.combine"),
        ("moe_expert_sum", "moe.expert"),
        ("attention_q8_0_kv_batched", "attention.attention"),
        ("gated_delta_net_q8_fast", "linear_attention.gated_delta_net"),
        ("conv1d_silu_split_f32", "linear_attention.conv1d"),
        ("embedding_q8_batched", "embedding.lookup"),
        ("argmax_f32", "sampling.argmax"),
        ("sample_top_p", "sampling.sample"),
        ("dequant_hfq4", "quant.dequantize"),
        ("silu_f32", "mlp.silu"),
        ("gelu_tanh", "mlp.gelu"),
        ("residual_add_f32", "elementwise.add"),
        ("add", "elementwise.add"),
        ("padded_copy", "unknown.unknown"),
        ("__amd_rocclr_copyBuffer", "memory.copy"),
        ("__amd_rocclr_fillBufferAligned", "memory.fill"),
    ],
)
def test_finer_attribution(macros: duckdb.DuckDBPyConnection, name: str, role: str) -> None:
    assert op(macros, name)[0] == role


def test_names_keep_their_order_over_columns(macros: duckdb.DuckDBPyConnection) -> None:
    rows = macros.execute(
        "SELECT kernel_name, op_of(kernel_name).role FROM"
        " (VALUES ('gemv_a'), ('gemm_a'), ('gemv_a'), (NULL))"
        " AS profile (kernel_name) ORDER BY kernel_name NULLS FIRST"
    ).fetchall()
    assert rows == [(None, "unknown"), ("gemm_a", "gemm"), ("gemv_a", "gemv"), ("gemv_a", "gemv")]
