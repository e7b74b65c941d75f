-- summary: Raw output that an event names, with its bytes.
-- grain: stream
-- columns: stream   stdout, stderr, or log for an imported file
--          sha256   digest of the bytes
--          n_bytes  how many there are
--          body     the bytes; NULL when the blob is missing
-- param: id VARCHAR  identity of the event
SELECT o.stream, o.sha256, o.n_bytes, b.body
FROM output o LEFT JOIN blobs b ON b.sha256 = o.sha256
WHERE o.event_id = $id
ORDER BY o.stream
