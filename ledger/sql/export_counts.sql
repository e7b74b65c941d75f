SELECT
    (SELECT count(*) FROM events) + (SELECT count(*) FROM conflicts),
    (SELECT count(*) FROM blobs)
