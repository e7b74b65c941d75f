-- summary: Which direction of metrics is better and which change is of interest, in their order.
-- grain: position
-- columns: position  place of the metric, from 1
--          rule      what macro metric_rule_of says about it
-- param: metrics VARCHAR  JSON array of metric names
-- example: {"metrics": ["gen_tok_s", "p50_ms", "of_my_own"]}
SELECT position, metric_rule_of(metric) AS rule
FROM (
  SELECT unnest(given) AS metric, generate_subscripts(given, 1) AS position
  FROM (SELECT from_json($metrics, '["VARCHAR"]') AS given)
)
ORDER BY position
