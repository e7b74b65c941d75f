-- summary: When a lever is worth trying, and how it is told. Every condition that is not NULL must hold; an unknown fact meets none. In texts `{kernel}` and `{arch}` are filled in; they hold no measured number, so that equal inputs give equal ids.
-- grain: rule
-- columns: rule           name of the rule
--          per_kernel     it is tried for each hot kernel, else once a row
--          lever          lever type
--          score          score without bonus
--          bonus_max      most that the share of the profile adds
--          bonus_per      percent of the profile for one point
--          risk           low, low/medium, medium, medium/high or high
--          impact         the same, or indirect
--          files          which files may be edited, see suggestions
--          roles          operation role is one of these, or …
--          names          … the name contains one of these
--          shared_name    kernels whose name contains this …
--          shared_pct     … hold at least this share of the profile, percent
--          unless_name    not where kernels of this name …
--          unless_pct     … hold at least this share
--          arch           glob over the architecture
--          phase          start of the phase
--          matrix_idle    the card has a matrix unit, and the scope is not empty and has no matrix instruction
--          spills         the kernel spills registers
--          half_waves     its registers allow half the waves or fewer, and it doesn't spill
--          isa_gap        profiled kernels are missing from the inspected objects
--          coverage_from  the engine's profile covers at least this, percent
--          coverage_below … and less than this
--          is_unstable    the newest eval on the target is unstable
--          wants_graph    graph is off, and launches are many or graph was never compared on the target
--          has_source     a source file is known
--          has_env        variables are known that may decide its dispatch
--          title          title
--          why            first line of the rationale
--          steps          steps to try
SELECT * REPLACE (
  score::DOUBLE AS score, bonus_max::DOUBLE AS bonus_max, bonus_per::DOUBLE AS bonus_per,
  shared_pct::DOUBLE AS shared_pct, unless_pct::DOUBLE AS unless_pct,
  coverage_from::DOUBLE AS coverage_from, coverage_below::DOUBLE AS coverage_below
)
FROM (
  VALUES
    ('paro_format', FALSE, 'format_kernel', 96, 8, 16, 'medium/high', 'high', 'paro',
      NULL, NULL, 'gemv_paro4g128', 35, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      'Rotate activations once per projection for {kernel}',
      'Rotated GEMV kernels hold most of the profile: the rotation is paid for again by each output tile.',
      ['Rotate the activations once per projection and hand the result to all output tiles.',
       'Count the launches and the bytes before and after.',
       'Keep the numbers bit-equal to the unrotated route, or state the tolerance.']),
    ('fuse_before_gemv', FALSE, 'fusion', 92, 0, NULL, 'medium', 'high', 'norms',
      NULL, NULL, NULL, NULL, 'gemv_paro4g128', 35, NULL, 'decode', TRUE, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      'Fuse norm and rotate steps into their neighbours before writing another GEMV',
      'Decode uses no matrix instruction on a card that has them: launches and bytes come before one more GEMV variant.',
      ['List the small kernels between two projections, with launches and bytes of each.',
       'Fuse one pair that shares its input, and measure.',
       'Only then consider another GEMV variant.']),
    ('spills', TRUE, 'register_pressure', 90, 8, 8, 'medium', 'medium/high', 'top',
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, TRUE, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      'Get rid of the register spills of {kernel}',
      'It spills registers to scratch: the spill comes before any bandwidth story.',
      ['Shorten live ranges: smaller unroll, fewer accumulators, reload instead of keep.',
       'Inspect the object again: spills must be gone before speed is judged.',
       'Measure against the same baseline.']),
    ('few_waves', TRUE, 'register_pressure', 76, 0, NULL, 'medium', 'medium/high', 'top',
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, TRUE, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      'Use fewer registers in {kernel} so that more waves fit',
      'Its registers allow half the waves of the card or fewer (a static limit, no measured occupancy).',
      ['Find what keeps most registers alive in the innermost loop.',
       'Get below the next allocation step, and no further.',
       'Measure: fewer registers can also be slower.']),
    ('multirow', TRUE, 'dispatch', 88, 8, 8, 'high', 'medium/high', 'kernels_rs',
      ['residual_gemv'], NULL, NULL, NULL, NULL, NULL, 'gfx12*', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      'Is the multirow branch of {kernel} enabled on {arch}?',
      'A residual GEMV is hot on a card for which a multirow branch may exist and not be taken.',
      ['Find the branch that chooses multirow, and what it asks of the architecture.',
       'Try it with HIPFIRE_GEMV_ROWS where that is honoured.',
       'If it wins, widen the condition for this architecture alone.']),
    ('fuse_kernel', TRUE, 'fusion', 86, 8, 8, 'medium', 'medium/high', 'top_refs',
      ['rope_rotate', 'normalization', 'qk_norm_scale'], ['mq_rotate', 'gated_norm', 'qk_l2_norm'], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      'Fuse {kernel} into the kernel before or after it',
      'A small elementwise step is hot: it moves bytes that a neighbour has in registers already.',
      ['Find the producer and the consumer of its output.',
       'Fuse it into the one that already holds the values.',
       'Compare outputs with the unfused route.']),
    ('isa_gap', FALSE, 'measurement', 83, 0, NULL, 'low', 'indirect', 'none',
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, TRUE, NULL, NULL, NULL, NULL, NULL, NULL,
      'Widen the ISA filter: hot kernels are missing from the inspected objects',
      'The profile names kernels that no inspected object holds: what is said about instructions leaves them out.',
      ['Inspect the whole folder of code objects the run used.',
       'Check that the folder belongs to this build.']),
    ('coverage_poor', FALSE, 'measurement', 95, 0, NULL, 'low', 'indirect', 'none',
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 75, NULL, NULL, NULL, NULL,
      'Fix the attribution of GPU time before tuning what it names',
      'The engine''s profile explains so little of the GPU time that its ranking can''t be trusted.',
      ['List the blindspot kernels with their share.',
       'Add them to the engine''s profile, or explain them.',
       'Profile again.']),
    ('coverage_low', FALSE, 'measurement', 84, 0, NULL, 'low', 'indirect', 'none',
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 75, 90, NULL, NULL, NULL, NULL,
      'Fix the attribution of GPU time before tuning what it names',
      'The engine''s profile leaves a part of the GPU time unexplained.',
      ['List the blindspot kernels with their share.',
       'Add them to the engine''s profile, or explain them.',
       'Profile again.']),
    ('unstable', FALSE, 'measurement', 85, 0, NULL, 'low', 'indirect', 'none',
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, TRUE, NULL, NULL, NULL,
      'Settle the run shape: the newest eval on this target is unstable',
      'Its runs spread too far to say anything: neither a win nor a loss.',
      ['Look at clocks, temperature and other work on the host.',
       'Add warm-up runs, and interleave baseline and candidate.',
       'Repeat until the spread is within bounds.']),
    ('qkv', TRUE, 'dispatch', 82, 8, 8, 'medium', 'medium', 'top_refs',
      ['qkv_projection', 'qkvza_projection'], NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      'Check which route {kernel} takes for this shape',
      'A projection of queries, keys and values is hot: which variant is dispatched decides its cost.',
      ['List the variants the dispatcher knows for this shape and quantisation.',
       'Force each that applies, one at a time.',
       'Keep the fastest that gives right answers.']),
    ('graph', FALSE, 'graph', 80, 0, NULL, 'low', 'medium', 'none',
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'decode', NULL, NULL, NULL, NULL, NULL, NULL, NULL, TRUE, NULL, NULL,
      'Run the graph A/B',
      'Graph capture is off in a decode run.',
      ['Run `atlas graph-ab` on this row.',
       'Look at the route it took, and at the correctness results with graph on.']),
    ('source_sweep', TRUE, 'source_sweep', 70, 20, 2, 'medium', 'medium', 'top',
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, TRUE, NULL,
      'Sweep one knob at a time in the source of {kernel}',
      'It is hot and its source file is known.',
      ['Pick one knob: tile, unroll, vector width, rows per thread.',
       'Change it alone, and measure.',
       'Keep a note of what was tried and lost.']),
    ('env_sweep', TRUE, 'env_sweep', 62, 14, 4, 'low', 'low/medium', 'refs',
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, TRUE,
      'Sweep the environment variables that decide the dispatch of {kernel}',
      'Variables stand near its dispatch: they can be tried without touching code.',
      ['Try each variable alone, interleaved with the default.',
       'Carry a winner into the dispatcher only after fresh runs.'])
) AS rule (
  rule, per_kernel, lever, score, bonus_max, bonus_per, risk, impact, files, roles, names,
  shared_name, shared_pct, unless_name, unless_pct, arch, phase, matrix_idle, spills, half_waves,
  isa_gap, coverage_from, coverage_below, is_unstable, wants_graph, has_source, has_env, title, why,
  steps
)
