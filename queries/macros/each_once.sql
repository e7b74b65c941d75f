-- summary: The values of a list in their order, each where it first stands; NULLs are left out.
-- columns: items  VARCHAR[]
-- param: items VARCHAR[]  any list of texts
-- example: SELECT each_once(['b', 'a', NULL, 'b'])
SELECT list_filter(known, lambda x, i: list_position(known, x) = i)
FROM (SELECT list_filter(items::VARCHAR[], lambda x: x IS NOT NULL) AS known)
