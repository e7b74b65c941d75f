-- summary: Rows that can't be evidence, with what each lacks and how to get it.
-- grain: row_id
-- columns: row_id    identity of the row
--          recorded  when it was recorded, UTC
--          host      host
--          phase     phase
--          status    ok, partial or quarantined
--          missing   fields without which it stays exploratory
--          hint      how to fill the commonest gap
-- param: host VARCHAR = NULL  only this host
-- param: limit INTEGER = 50  at most so many
-- example: atlas query missing-identity
SELECT
    e.row_id,
    make_timestamp(e.recorded_us) AS recorded,
    e.host,
    e.phase,
    e.status,
    e.missing,
    e.hint
FROM evidence e
WHERE e.evidence <> 'measured' AND ($host IS NULL OR e.host = $host)
ORDER BY e.recorded_us DESC, e.row_id
LIMIT $limit
