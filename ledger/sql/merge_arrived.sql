-- The arriving events, whole. Semi-joins, so that payloads stream by in two threads and are never gathered in a join.
CREATE OR REPLACE TEMP VIEW _arrived AS
SELECT e.*, FALSE AS aside FROM atlas_offer.events e
SEMI JOIN (SELECT slot FROM _arriving WHERE NOT loose AND NOT aside) a ON a.slot = e.rowid
UNION ALL BY NAME
SELECT e.*, TRUE AS aside FROM atlas_offer.events e
SEMI JOIN (SELECT slot FROM _arriving WHERE NOT loose AND aside) a ON a.slot = e.rowid
UNION ALL BY NAME
SELECT c.*, FALSE AS aside FROM atlas_offer.conflicts c
SEMI JOIN (SELECT slot FROM _arriving WHERE loose AND NOT aside) a ON a.slot = c.rowid
UNION ALL BY NAME
SELECT c.*, TRUE AS aside FROM atlas_offer.conflicts c
SEMI JOIN (SELECT slot FROM _arriving WHERE loose AND aside) a ON a.slot = c.rowid
