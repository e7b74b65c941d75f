CREATE OR REPLACE TEMP VIEW _new AS
SELECT e.* FROM atlas_offer.events e
SEMI JOIN (SELECT slot FROM _batch WHERE NOT loose) b ON b.slot = e.rowid
UNION ALL BY NAME
SELECT c.* FROM atlas_offer.conflicts c
SEMI JOIN (SELECT slot FROM _batch WHERE loose) b ON b.slot = c.rowid
