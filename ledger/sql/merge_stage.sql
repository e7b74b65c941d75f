CREATE OR REPLACE TEMP TABLE _batch AS SELECT slot, loose FROM _arriving WHERE batch = $1
