-- summary: Further places of events that stand in several branches of a forked chain; they count where they stand first.
-- grain: hash
-- columns: hash  chain hash of the event at that place
SELECT p.hash
FROM (
    SELECT event_id, seq, hash FROM events
    UNION ALL
    SELECT event_id, seq, hash FROM conflicts
) p
SEMI JOIN conflicts c ON c.event_id = p.event_id
QUALIFY row_number() OVER (PARTITION BY p.event_id ORDER BY p.seq, p.hash) > 1
