SELECT event_id FROM _new ORDER BY event_id
