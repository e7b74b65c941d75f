CREATE OR REPLACE TEMP TABLE _slice AS
SELECT * EXCLUDE (aside, batch) FROM _arrived WHERE batch = $1
