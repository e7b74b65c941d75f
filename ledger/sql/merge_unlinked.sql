-- The first arriving event that follows nothing: neither an arriving event nor one that is here.
WITH missing AS (
    SELECT prev_hash FROM _arriving
    EXCEPT
    SELECT hash FROM _arriving
),
before AS (
    SELECT origin, seq, hash FROM _arriving
    UNION ALL
    SELECT e.origin, e.seq, e.hash FROM events e SEMI JOIN missing m ON m.prev_hash = e.hash
    UNION ALL
    SELECT c.origin, c.seq, c.hash FROM conflicts c SEMI JOIN missing m ON m.prev_hash = c.hash
)
SELECT a.origin, a.seq, a.event_id
FROM _arriving a
ANTI JOIN before b ON b.hash = a.prev_hash AND b.origin = a.origin AND b.seq = a.seq - 1
WHERE NOT (a.seq = 0 AND a.prev_hash = repeat('0', 64))
ORDER BY a.origin, a.seq, a.event_id
LIMIT 1
