-- summary: Claims at risk: too few runs, unstable, profiled, cold or dirty, across hosts, identical programs, retracted parts, discoveries that nothing confirms.
-- grain: event_id, detail
-- columns: severity  fault: it must not be claimed as it stands; note: what weakens it
--          event_id  the event that claims
--          kind      eval, ab or promotion
--          about     task, factor or row
--          verdict   its verdict
--          ratio     what is claimed, above 1 is better
--          detail    what puts it at risk
-- example: atlas audit claims
SELECT x.severity, c.event_id, c.kind, c.about, c.verdict, c.ratio, x.detail
FROM claims c
CROSS JOIN LATERAL (
    SELECT 'fault' AS severity, unnest(c.faults) AS detail
    UNION ALL
    SELECT 'note', unnest(c.notes)
) x
ORDER BY x.severity, c.recorded_us DESC, c.event_id, x.detail
