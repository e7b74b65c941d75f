-- summary: Events of forked origins: from the first seq where two branches differ, on every branch.
-- grain: event_id
-- columns: event_id  an event that takes part in no verdict
WITH fork AS (
    SELECT origin, min(seq) AS first_seq FROM conflicts GROUP BY origin
)
SELECT event_id FROM conflicts
UNION
SELECT e.event_id FROM events e JOIN fork f ON e.origin = f.origin AND e.seq >= f.first_seq
