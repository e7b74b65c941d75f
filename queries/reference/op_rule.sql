-- summary: Which operation a kernel name stands for: the first rule of which every part occurs in the name. Finer rules stand in front of the classic ones (ordinal 1000 to 1999), further families behind. A stored op wins over any rule.
-- grain: ordinal
-- columns: ordinal     order of trial
--          part        text the folded name must contain; folded is lower case, anything but letters and digits an underscore, one more at each end: `_add_` asks for a whole word
--          also        a second text it must contain; empty = none
--          family      op family
--          role        op role within the family
--          phase_hint  prefill, decode, prefill/decode or unknown
--          is_classic  whether the rule is one of the classic table
SELECT
  ordinal,
  part,
  also,
  family,
  role,
  phase_hint,
  ordinal BETWEEN 1000 AND 1999 AS is_classic
FROM (
  VALUES
    -- In front only what the classic table takes for something else.
    (10, '_rocclr_copy', '', 'memory', 'copy', 'prefill/decode'),
    (11, '_rocclr_fill', '', 'memory', 'fill', 'prefill/decode'),
    (20, 'qkvza', '', 'attention', 'qkvza_projection', 'prefill/decode'),
    (21, 'gemm', '_qkv_', 'attention', 'qkv_projection', 'prefill/decode'),
    (22, 'gemv', '_qkv_', 'attention', 'qkv_projection', 'prefill/decode'),
    (30, '_moe_', 'topk', 'moe', 'router_topk', 'prefill/decode'),
    (31, '_moe_', 'scatter', 'moe', 'scatter', 'prefill/decode'),
    (32, '_moe_', 'combine', 'moe', 'combine', 'prefill/decode'),
    (40, 'rmsnorm', 'rotate', 'norm', 'normalization', 'prefill/decode'),
    (41, 'silu_mul', 'rotate', 'mlp', 'silu', 'prefill/decode'),

    -- The classic table, in its own order.
    (1000, 'fused_qkvza', '', 'attention', 'qkvza_projection', 'prefill/decode'),
    (1010, 'fused_qkv', '', 'attention', 'qkv_projection', 'prefill/decode'),
    (1020, 'qk_l2_norm', '', 'attention', 'qk_norm_scale', 'decode'),
    (1030, 'attention_flash', '', 'attention', 'flash_attention', 'prefill/decode'),
    (1031, 'flash', '', 'attention', 'flash_attention', 'prefill/decode'),
    (1040, 'kv_cache', '', 'attention', 'kv_cache', 'decode'),
    (1050, 'rope', '', 'position', 'rope_rotate', 'prefill/decode'),
    (1051, 'rotate', '', 'position', 'rope_rotate', 'prefill/decode'),
    (1060, 'rmsnorm', '', 'norm', 'normalization', 'prefill/decode'),
    (1061, 'norm', '', 'norm', 'normalization', 'prefill/decode'),
    (1070, 'gate_up', '', 'mlp', 'gate_up_projection', 'prefill/decode'),
    (1080, 'swiglu', '', 'mlp', 'swiglu', 'prefill/decode'),
    (1090, 'gemv', 'residual', 'linear', 'residual_gemv', 'decode'),
    (1100, 'gemv', 'multirow', 'linear', 'multirow_gemv', 'decode'),
    (1110, 'gemv', '', 'linear', 'gemv', 'decode'),
    (1120, 'gemm', 'residual', 'linear', 'residual_gemm', 'prefill'),
    (1130, 'gemm', '', 'linear', 'gemm', 'prefill'),

    -- Families the classic table lacks, behind it: names it answers for keep their answer.
    (2000, 'attention_', '', 'attention', 'attention', 'prefill/decode'),
    (2001, '_softmax_', '', 'attention', 'softmax', 'prefill/decode'),
    (2002, 'repeat_interleave', '', 'attention', 'repeat_heads', 'prefill/decode'),
    (2010, 'gated_delta', '', 'linear_attention', 'gated_delta_net', 'prefill/decode'),
    (2011, 'conv1d', '', 'linear_attention', 'conv1d', 'prefill/decode'),
    (2012, 'alpha_gate', '', 'linear_attention', 'gate', 'prefill/decode'),
    (2020, '_moe_', '', 'moe', 'expert', 'prefill/decode'),
    (2030, 'embedding', '', 'embedding', 'lookup', 'prefill/decode'),
    (2040, 'argmax', '', 'sampling', 'argmax', 'decode'),
    (2041, 'sample', '', 'sampling', 'sample', 'decode'),
    (2042, '_topk_', '', 'sampling', 'topk', 'decode'),
    (2050, 'dequant', '', 'quant', 'dequantize', 'prefill/decode'),
    (2051, 'quantize', '', 'quant', 'quantize', 'prefill/decode'),
    (2060, 'silu', '', 'mlp', 'silu', 'prefill/decode'),
    (2061, 'gelu', '', 'mlp', 'gelu', 'prefill/decode'),
    (2070, '_sigmoid_', '', 'elementwise', 'sigmoid', 'prefill/decode'),
    (2071, '_add_', '', 'elementwise', 'add', 'prefill/decode'),
    (2072, '_mul_', '', 'elementwise', 'mul', 'prefill/decode'),
    (9999, '', '', 'unknown', 'unknown', 'unknown')
) AS rule (ordinal, part, also, family, role, phase_hint)
