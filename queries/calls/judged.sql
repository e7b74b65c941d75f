-- summary: Judge pairs of series that came from outside a ledger, in their order.
-- grain: position
-- columns: position  place of the pair, from 1
--          told      what macro judge says about it
-- param: pairs VARCHAR  JSON array of objects: base and candidate, and any other argument of judge
-- example: {"pairs": [{"base": [100.0, 100.4], "candidate": [103.9, 104.1], "goal": "maximize"}]}
SELECT
  position,
  judge(
    pair.base,
    pair.candidate,
    goal := pair.goal,
    delta := pair.delta,
    paired := pair.paired,
    block := pair.block,
    floor_s := pair.floor_s,
    max_rel_spread := pair.max_rel_spread,
    incomparable := pair.incomparable,
    identical := pair.identical,
    incorrect := pair.incorrect,
    weak := pair.weak
  ) AS told
FROM (
  SELECT unnest(pairs) AS pair, generate_subscripts(pairs, 1) AS position
  FROM (
    SELECT from_json(
        $pairs,
        '[{
          "base": ["DOUBLE"],
          "candidate": ["DOUBLE"],
          "goal": "VARCHAR",
          "delta": "DOUBLE",
          "paired": "BOOLEAN",
          "block": "INTEGER",
          "floor_s": "DOUBLE",
          "max_rel_spread": "DOUBLE",
          "incomparable": ["VARCHAR"],
          "identical": "BOOLEAN",
          "incorrect": "BOOLEAN",
          "weak": "BOOLEAN"
        }]'
      ) AS pairs
  )
)
ORDER BY position
