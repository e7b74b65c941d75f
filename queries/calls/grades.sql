-- summary: How far apart the two sides of comparisons from outside a ledger were measured, in their order.
-- grain: position
-- columns: position  place of the comparison, from 1
--          grade     what macro evidence_grade says about it
-- param: pairs VARCHAR  JSON array of objects: paired, same_session, same_host
-- example: {"pairs": [{"paired": true}, {"same_session": true}, {}]}
SELECT position, evidence_grade(pair.paired, pair.same_session, pair.same_host) AS grade
FROM (
  SELECT unnest(given) AS pair, generate_subscripts(given, 1) AS position
  FROM (
    SELECT from_json(
        $pairs, '[{"paired": "BOOLEAN", "same_session": "BOOLEAN", "same_host": "BOOLEAN"}]'
      ) AS given
  )
)
ORDER BY position
