-- summary: Events that were taken back and not brought back by retracting the retraction; newer parses of a run that was taken back go with it.
-- grain: event_id
-- columns: event_id  the event that counts no more
--          why       reason that was given
WITH standing AS (
    SELECT * FROM retraction r WHERE NOT EXISTS (
        SELECT 1 FROM retraction again WHERE again.target = r.event_id
    )
),
direct AS (
    SELECT target AS event_id, arg_min(why, recorded_us) AS why FROM standing GROUP BY target
)
SELECT event_id, why FROM direct
UNION
SELECT r.event_id, d.why
FROM recording r JOIN direct d ON d.event_id = r.supersedes
WHERE r.event_id NOT IN (SELECT x.event_id FROM direct x)
