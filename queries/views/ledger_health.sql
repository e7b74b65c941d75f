-- summary: What is in the ledger, in numbers.
-- grain: events
-- columns: events        events
--          origins       streams they belong to
--          conflicts     events set aside because their origin forked
--          blobs         raw outputs kept
--          blob_bytes    their size, bytes
--          rows          measurements
--          errors        error records
--          facts_failed  events whose facts could not be derived
--          newest_us     when the newest event was recorded, UTC microseconds; NULL if none
SELECT
    (SELECT count(*) FROM events) AS events,
    (SELECT count(DISTINCT origin) FROM events) AS origins,
    (SELECT count(*) FROM conflicts) AS conflicts,
    (SELECT count(*) FROM blobs) AS blobs,
    (SELECT coalesce(sum(n_bytes), 0)::BIGINT FROM blobs) AS blob_bytes,
    (SELECT count(*) FROM rows) AS rows,
    (SELECT count(*) FROM errors) AS errors,
    (SELECT count(DISTINCT event_id) FROM facts_failed) AS facts_failed,
    (SELECT max(recorded_us) FROM events) AS newest_us
