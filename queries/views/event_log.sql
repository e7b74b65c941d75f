-- summary: The event stream without the payloads, each event with a line that tells what it is.
-- grain: event_id
-- columns: event_id     identity of the event
--          origin       stream it belongs to
--          seq          place there
--          recorded_us  when it was recorded, UTC microseconds
--          kind         what was observed
--          host         host that recorded it
--          arch         GPU architecture
--          git_sha      commit
--          entries      rows and error records in it
--          findings     noteworthy things about its input
--          about        one line: the command, the imported file, or the reason given
--          standing     ok, retracted, superseded, contested, or rests on retracted
SELECT
    e.event_id,
    e.origin,
    e.seq,
    e.recorded_us,
    e.kind,
    e.host,
    e.arch,
    e.git_sha,
    r.entries,
    coalesce(f.n, 0) AS findings,
    coalesce(r.source_name, r.command, a.why, t.why) AS about,
    CASE
        WHEN c.event_id IS NOT NULL THEN 'contested'
        WHEN x.event_id IS NOT NULL THEN 'retracted'
        WHEN s.event_id IS NOT NULL THEN 'superseded'
        WHEN k.event_id IS NOT NULL THEN 'rests on retracted'
        ELSE 'ok'
    END AS standing
FROM (
    SELECT event_id, origin, seq, recorded_us, kind, host, arch, git_sha FROM events
    ANTI JOIN repeated_places USING (hash)
    UNION ALL
    SELECT event_id, origin, seq, recorded_us, kind, host, arch, git_sha FROM conflicts
    ANTI JOIN repeated_places USING (hash)
) e
LEFT JOIN recording r ON r.event_id = e.event_id
LEFT JOIN (SELECT event_id, count(*) AS n FROM finding GROUP BY event_id) f
    ON f.event_id = e.event_id
LEFT JOIN annotation a ON a.event_id = e.event_id
LEFT JOIN retraction t ON t.event_id = e.event_id
LEFT JOIN contested c ON c.event_id = e.event_id
LEFT JOIN retracted x ON x.event_id = e.event_id
LEFT JOIN superseded s ON s.event_id = e.event_id
LEFT JOIN shaken k ON k.event_id = e.event_id
