-- summary: The event stream, newest first.
-- grain: event_id
-- columns: event_id  identity of the event
--          recorded  when it was recorded, UTC
--          kind      what was observed
--          host      host that recorded it
--          arch      GPU architecture
--          entries   rows and error records in it
--          findings  noteworthy things about its input
--          about     the command, the imported file, or the reason given
--          standing  ok, retracted, superseded, contested, or rests on retracted
-- param: kind VARCHAR = NULL  only this kind
-- param: limit INTEGER = 20  at most so many
SELECT
    l.event_id,
    make_timestamp(l.recorded_us) AS recorded,
    l.kind,
    l.host,
    l.arch,
    l.entries,
    l.findings,
    l.about,
    l.standing
FROM event_log l
WHERE $kind IS NULL OR l.kind = $kind
ORDER BY l.recorded_us DESC, l.origin, l.seq DESC
LIMIT $limit
