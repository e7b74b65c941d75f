-- Incoming events that are here already: the same event, or the same piece of an imported file.
SELECT event_id FROM _incoming SEMI JOIN events USING (event_id)
UNION
SELECT event_id FROM _incoming SEMI JOIN conflicts USING (event_id)
UNION
SELECT i.event_id FROM _incoming i SEMI JOIN sources s USING (file_sha256, ordinal, adapter)
UNION
SELECT event_id FROM (
    SELECT event_id, row_number() OVER (
        PARTITION BY file_sha256, ordinal, adapter ORDER BY recorded_us, event_id
    ) AS place
    FROM _incoming
    WHERE file_sha256 IS NOT NULL AND ordinal IS NOT NULL AND adapter IS NOT NULL
) WHERE place > 1
