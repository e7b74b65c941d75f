CREATE OR REPLACE TEMP VIEW _new AS
SELECT e.* FROM atlas_offer.events e JOIN _batch b ON b.slot = e.rowid AND NOT b.loose
UNION ALL BY NAME
SELECT c.* FROM atlas_offer.conflicts c JOIN _batch b ON b.slot = c.rowid AND b.loose
