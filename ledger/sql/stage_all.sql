-- Each event once: one that stands at several places of a forked chain counts where it stands first.
CREATE OR REPLACE TEMP VIEW _new AS
WITH beaten AS (
    SELECT p.hash
    FROM (
        SELECT event_id, seq, hash FROM events
        UNION ALL
        SELECT event_id, seq, hash FROM conflicts
    ) p
    SEMI JOIN conflicts c ON c.event_id = p.event_id
    QUALIFY row_number() OVER (PARTITION BY p.event_id ORDER BY p.seq, p.hash) > 1
)
FROM (FROM events UNION ALL BY NAME FROM conflicts) e
ANTI JOIN beaten b ON b.hash = e.hash
