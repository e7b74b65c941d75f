-- summary: Runs that gave no observation, newest first, with the reason.
-- grain: event_id, ordinal
-- columns: event_id   the event; `atlas show` prints its raw output
--          ordinal    position within the event
--          recorded   when it was recorded, UTC
--          host       host it ran on
--          phase      provisional phase: ar or dflash
--          workload   name of the workload
--          reason     stable code
--          message    one sentence
--          exit_code  exit code of the program
--          signal     signal that ended it
-- param: host VARCHAR = NULL  only this host
-- param: reason VARCHAR = NULL  only this reason
-- param: limit INTEGER = 50  at most so many
-- example: atlas query errors --reason timeout
SELECT
    e.event_id,
    e.ordinal,
    make_timestamp(e.recorded_us) AS recorded,
    e.host,
    e.phase,
    e.workload,
    e.reason,
    e.message,
    e.exit_code,
    e.signal
FROM errors e
WHERE ($host IS NULL OR e.host = $host) AND ($reason IS NULL OR e.reason = $reason)
ORDER BY e.recorded_us DESC, e.event_id, e.ordinal
LIMIT $limit
