-- Candidates that are here already: the same event, or the same piece of an imported file.
SELECT event_id FROM candidates SEMI JOIN events USING (event_id)
UNION
SELECT event_id FROM candidates SEMI JOIN conflicts USING (event_id)
UNION
SELECT k.event_id FROM import_keys k SEMI JOIN sources USING (file_sha256, ordinal, adapter)
UNION
SELECT event_id FROM (
    SELECT event_id, row_number() OVER (
        PARTITION BY file_sha256, ordinal, adapter ORDER BY recorded_us, event_id
    ) AS place
    FROM import_keys
) WHERE place > 1
