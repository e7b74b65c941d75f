-- summary: Events that were taken back and not brought back by retracting the retraction.
-- grain: event_id
-- columns: event_id  the event that counts no more
--          why       reason that was given
WITH standing AS (
    SELECT * FROM retraction r WHERE NOT EXISTS (
        SELECT 1 FROM retraction again WHERE again.target = r.event_id
    )
)
SELECT target AS event_id, arg_min(why, recorded_us) AS why FROM standing GROUP BY target
