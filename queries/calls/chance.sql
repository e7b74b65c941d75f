-- summary: Permutation p of two series that came from outside a ledger: shown beside a verdict, it decides nothing.
-- grain: one row
-- columns: p  NULL when a side has no logarithms or pairs do not match
-- param: base VARCHAR  JSON array of the base's runs
-- param: candidate VARCHAR  JSON array of the candidate's runs
SELECT permutation_p(
    log_values(from_json($base, '["DOUBLE"]')), log_values(from_json($candidate, '["DOUBLE"]'))
  ) AS p
