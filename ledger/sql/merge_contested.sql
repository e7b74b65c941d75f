-- Per origin with branches: where they part, and how many events lie from there on.
WITH aside AS (
    SELECT origin, seq FROM conflicts
    UNION ALL
    SELECT origin, seq FROM _arriving WHERE aside
),
fork AS (
    SELECT origin, min(seq) AS seq FROM aside GROUP BY origin
),
main AS (
    SELECT e.origin, e.seq FROM events e SEMI JOIN fork USING (origin)
    UNION ALL
    SELECT a.origin, a.seq FROM _arriving a SEMI JOIN fork USING (origin) WHERE NOT a.aside
)
SELECT f.origin, f.seq, count(*)
FROM fork f JOIN (FROM main UNION ALL FROM aside) e ON e.origin = f.origin AND e.seq >= f.seq
GROUP BY f.origin, f.seq
