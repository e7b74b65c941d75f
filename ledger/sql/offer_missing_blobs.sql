-- The first event that names raw output which is neither offered nor here.
WITH named AS (
    SELECT origin, seq, event_id, unnest(json_extract_string(payload, '$.output.*.sha256')) AS sha256
    FROM events WHERE contains(payload, '"output":{') AND json_valid(payload)
)
SELECT origin, seq, sha256
FROM named ANTI JOIN blobs USING (sha256) ANTI JOIN blobs_here USING (sha256)
ORDER BY origin, seq, sha256 LIMIT 1
