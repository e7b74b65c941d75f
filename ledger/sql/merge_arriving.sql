-- Offered events that are not here yet, by hash; slot is their rowid in the table where they lie (loose: conflicts).
CREATE OR REPLACE TEMP TABLE _arriving AS
WITH offered AS (
    SELECT event_id, origin, seq, hash, prev_hash, rowid AS slot, FALSE AS loose
    FROM atlas_offer.events
    UNION ALL
    SELECT event_id, origin, seq, hash, prev_hash, rowid, TRUE FROM atlas_offer.conflicts
),
unseen AS (
    SELECT o.* FROM offered o
    ANTI JOIN events e ON e.hash = o.hash
    ANTI JOIN conflicts c ON c.hash = o.hash
)
SELECT *, FALSE AS aside, (row_number() OVER (ORDER BY loose, slot) - 1) // $1 AS batch
FROM unseen
QUALIFY row_number() OVER (PARTITION BY hash ORDER BY loose, slot) = 1
