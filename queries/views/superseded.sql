-- summary: Events whose rows are replaced by a newer parse of the same raw output.
-- grain: event_id
-- columns: event_id  the event that is replaced
--          by_event  the newest parse: greatest (parser version, event id) not retracted
WITH parse AS (
    SELECT event_id, supersedes AS root, parser_version FROM recording
    WHERE supersedes IS NOT NULL
    UNION ALL
    SELECT r.event_id, r.event_id, r.parser_version FROM recording r
    SEMI JOIN (SELECT supersedes FROM recording WHERE supersedes IS NOT NULL) s
        ON s.supersedes = r.event_id
),
standing AS (
    SELECT * FROM parse ANTI JOIN retracted USING (event_id)
),
newest AS (
    SELECT root, arg_max(event_id, {v: parser_version, e: event_id}) AS by_event
    FROM standing GROUP BY root
)
SELECT p.event_id, n.by_event
FROM parse p JOIN newest n ON p.root = n.root
WHERE p.event_id <> n.by_event
