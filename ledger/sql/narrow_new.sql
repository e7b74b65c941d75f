CREATE OR REPLACE TEMP VIEW _new AS FROM _kept SEMI JOIN _narrowed USING (event_id)
