-- summary: The fit read: the first rule all of whose conditions hold. A condition that is NULL asks nothing; an unknown fact meets no condition.
-- grain: ordinal
-- columns: ordinal        order of trial
--          phase          start of the phase
--          hot_name       part of a kernel name …
--          hot_pct        … whose kernels hold at least this share of the profile, percent
--          spills         a profile-matched kernel spills registers
--          matrix_unit    the architecture has a matrix unit
--          matrix_absent  no matrix instruction is in scope
--          vmem           smallest share of vector memory instructions
--          valu           smallest share of vector arithmetic, dot products included
--          taxed          the quantisation's unpack tax is above low
--          needs_mix      the rule looks at instructions, so there have to be some
--          limit_text     what the limit is called; people's scripts search for it
--          left_text      what is left to try
SELECT *
FROM (
  VALUES
    (1, 'decode', 'gemv_paro4g128', 35, NULL, NULL, NULL, NULL, NULL, NULL, FALSE,
      'Paro rotated-GEMV dominates',
      'rotate once per projection and share it between output tiles'),
    (2, NULL, NULL, NULL, TRUE, NULL, NULL, NULL, NULL, NULL, FALSE,
      'register pressure (spills)',
      'get rid of the spills first'),
    (3, 'decode', NULL, NULL, NULL, TRUE, TRUE, NULL, NULL, NULL, TRUE,
      'memory/launch, not matrix throughput',
      'fusing, fewer launches, fewer bytes'),
    (4, 'prefill', NULL, NULL, NULL, TRUE, TRUE, NULL, NULL, NULL, TRUE,
      'prefill is missing matrix utilization',
      'a WMMA route for prefill, other tiles, dispatch'),
    (5, NULL, NULL, NULL, NULL, NULL, NULL, 0.18, 0.35, TRUE, TRUE,
      'bandwidth plus unpack/register pressure',
      'a cheaper unpack or fewer registers'),
    (6, NULL, NULL, NULL, NULL, NULL, NULL, 0.18, NULL, NULL, TRUE,
      'memory bandwidth',
      'fewer bytes, better reuse, fusing'),
    (7, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0.50, NULL, TRUE,
      'VALU/unpack throughput',
      'native packed operations, fewer instructions'),
    (8, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, TRUE,
      'mixed or launch dominated',
      'measure launches and counters first')
) AS rule (
  ordinal, phase, hot_name, hot_pct, spills, matrix_unit, matrix_absent, vmem, valu, taxed,
  needs_mix, limit_text, left_text
)
