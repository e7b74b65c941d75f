CREATE OR REPLACE TEMP VIEW _arrived AS
SELECT e.*, a.aside
FROM atlas_offer.events e JOIN _arriving a ON a.slot = e.rowid AND NOT a.loose
UNION ALL BY NAME
SELECT c.*, a.aside
FROM atlas_offer.conflicts c JOIN _arriving a ON a.slot = c.rowid AND a.loose
