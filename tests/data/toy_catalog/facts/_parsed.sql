-- summary: Payloads of new events of a toy world, parsed once.
-- grain: event_id
-- columns: event_id  the event
--          kind      what was observed
--          version   form of the payload
--          size      how big the thing was, as it was written
--          colour    its colour
SELECT
    event_id,
    kind,
    version,
    payload->>'$.size' AS size,
    payload->>'$.colour' AS colour
FROM _new
