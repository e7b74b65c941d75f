-- summary: What was noteworthy about the input of each event.
-- grain: event_id, position
-- columns: event_id     the event
--          position     position within the event
--          recorded_us  when it was recorded, UTC microseconds
--          kind         kind of the event
--          source_name  imported file, if any
--          code         stable code
--          message      one sentence
--          place        file, line or field
SELECT f.event_id, f.position, r.recorded_us, r.kind, r.source_name, f.code, f.message, f.place
FROM finding f LEFT JOIN recording r USING (event_id)
