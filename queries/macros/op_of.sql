-- summary: Operation of a kernel by its name, by the first rule of op_rule that fits; `unknown` when none does. A stored op wins: coalesce(stored_op, op_of(name)). Over many rows it is evaluated once per distinct name when given a plain column (100 000 distinct names take a fraction of a second).
-- columns: family      op family
--          role        op role within the family
--          phase_hint  prefill, decode, prefill/decode or unknown
-- param: kernel_name VARCHAR  name as a profile or manifest gives it; `.kd` and template arguments may follow
-- example: SELECT op_of('gemm_qkvza_hfq4g256_wmma').role
SELECT list_filter(
    rules, lambda r: contains(folded, r.part) AND contains(folded, r.also)
  )[1].op
FROM (
  SELECT '_' || regexp_replace(lower(coalesce(kernel_name, '')), '[^a-z0-9]', '_', 'g') || '_' AS folded
)
CROSS JOIN (
  SELECT list(
      {'part': part, 'also': also, 'op': {'family': family, 'role': role, 'phase_hint': phase_hint}}
      ORDER BY ordinal
    ) AS rules
  FROM op_rule
)
