SELECT
    'note' AS severity,
    fact,
    event_id,
    'its facts could not be derived: ' || error AS detail
FROM facts_failed
ORDER BY event_id
