-- summary: Newest recorded facts of code objects, by the md5 of their files.
-- grain: md5
-- columns: md5      digest of the file
--          payload  its facts, canonical JSON
-- param: md5s VARCHAR[]  digests to look for
WITH newest AS (
    SELECT md5, arg_max(event_id, {t: recorded_us, e: event_id}) AS event_id
    FROM isa_object ANTI JOIN retracted USING (event_id)
    WHERE md5 IN (SELECT unnest($md5s))
    GROUP BY md5
)
SELECT n.md5, e.payload
FROM newest n
JOIN (FROM events UNION ALL BY NAME FROM conflicts) e USING (event_id)
ANTI JOIN repeated_places p ON p.hash = e.hash
