-- summary: Permutation p of two series that came from outside a ledger: shown beside a verdict, it decides nothing.
-- grain: p
-- columns: p  NULL when a side has no logarithms or pairs do not match
-- param: base VARCHAR  JSON array of the base's runs
-- param: candidate VARCHAR  JSON array of the candidate's runs
-- example: {"base": [100.0, 100.4, 99.8, 100.2], "candidate": [103.9, 104.1, 104.4, 103.8]}
SELECT permutation_p(
    log_values(from_json($base, '["DOUBLE"]')), log_values(from_json($candidate, '["DOUBLE"]'))
  ) AS p
