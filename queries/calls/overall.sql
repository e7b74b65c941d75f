-- summary: Geometric mean of the ratios of many comparisons.
-- grain: told
-- columns: told  what macro geometric_mean says about them
-- param: ratios VARCHAR  JSON array, null where there is no ratio
-- example: {"ratios": [1.1, null, 0.9]}
SELECT geometric_mean(from_json($ratios, '["DOUBLE"]')) AS told
