-- Heads of an old checkpoint that are no longer in the chain, and why.
WITH ends AS (
    SELECT origin, max(seq) AS seq
    FROM (SELECT origin, seq FROM events UNION ALL SELECT origin, seq FROM conflicts)
    GROUP BY origin
),
placed AS (
    SELECT e.origin, e.seq, e.hash FROM events e
    SEMI JOIN noted_heads n ON n.origin = e.origin AND n.seq = e.seq
    UNION ALL
    SELECT origin, seq, hash FROM conflicts
)
SELECT
    'fault' AS severity,
    CASE WHEN e.origin IS NULL THEN 'removed origin'
        WHEN e.seq < n.seq THEN 'truncated' ELSE 'rewritten' END AS fault,
    n.origin,
    n.seq,
    NULL::VARCHAR AS event_id,
    CASE WHEN e.origin IS NULL THEN 'the checkpoint holds ' || (n.seq + 1) || ' events of it'
        WHEN e.seq < n.seq
            THEN 'the checkpoint holds ' || (n.seq + 1) || ' events, the ledger ' || (e.seq + 1)
        ELSE 'the event at this seq is not the one the checkpoint saw: ' || n.hash END AS detail
FROM noted_heads n
LEFT JOIN ends e ON e.origin = n.origin
ANTI JOIN placed p ON p.origin = n.origin AND p.seq = n.seq AND p.hash = n.hash
ORDER BY n.origin, n.seq, n.hash
