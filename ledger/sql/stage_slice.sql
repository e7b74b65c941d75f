-- Conflicts ride along with the first slice: there are few or none.
CREATE OR REPLACE TEMP TABLE _slice AS
SELECT * FROM events WHERE rowid >= $1 AND rowid < $2
UNION ALL BY NAME
SELECT * FROM conflicts WHERE $1 = 0
