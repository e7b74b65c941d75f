-- The new events with their places; a view, so that payloads are not copied on their way in.
CREATE OR REPLACE TEMP VIEW _new AS FROM chained
