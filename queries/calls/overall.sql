-- summary: Geometric mean of the ratios of many comparisons.
-- grain: one row
-- columns: told  what macro geometric_mean says about them
-- param: ratios VARCHAR  JSON array, null where there is no ratio
SELECT geometric_mean(from_json($ratios, '["DOUBLE"]')) AS told
