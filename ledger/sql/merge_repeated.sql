-- An event that now stands in two branches at different places of the chain.
WITH placed AS (
    SELECT event_id, hash FROM events
    UNION ALL
    SELECT event_id, hash FROM conflicts
    UNION ALL
    SELECT event_id, hash FROM _arriving
)
SELECT 1 FROM _arriving a JOIN placed p ON p.event_id = a.event_id AND p.hash <> a.hash LIMIT 1
