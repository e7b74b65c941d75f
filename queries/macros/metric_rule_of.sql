-- summary: Which direction of a metric is better and which change is of interest: the first rule of metric_rule whose pattern fits the name.
-- columns: goal   maximize or minimize
--          delta  half width of the band of no interest, a fraction
-- param: metric VARCHAR  metric name
-- example: SELECT metric_rule_of('p50_ms').goal
SELECT arg_min({'goal': r.goal, 'delta': r.delta}, r.ordinal)
FROM (SELECT lower(coalesce(metric, '')) AS wanted)
JOIN metric_rule AS r ON wanted GLOB r.pattern
