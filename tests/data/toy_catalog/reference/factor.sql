-- summary: What a size weighs.
-- grain: factor
-- columns: factor  weight of one unit
SELECT 10 AS factor
