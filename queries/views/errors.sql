-- summary: Runs that gave no observation, and why.
-- grain: event_id, ordinal
-- columns: event_id     the event the record comes from
--          ordinal      position within the event
--          origin       stream of the event
--          recorded_us  when it was recorded, UTC microseconds
--          host         host it ran on
--          phase        provisional phase: ar or dflash
--          status       error
--          arch         GPU architecture, if known
--          workload     name of the workload
--          reason       stable code of what went wrong
--          message      one sentence
--          exit_code    exit code of the program
--          signal       signal that ended it
--          timed_out    it took too long
--          run_index    index of the run within its collection
--          session      recording command
SELECT
    e.event_id,
    e.ordinal,
    e.origin,
    e.recorded_us,
    e.host,
    e.phase,
    'error' AS status,
    e.arch,
    e.workload,
    e.reason,
    e.message,
    e.exit_code,
    e.signal,
    e.timed_out,
    e.run_index,
    e.session
FROM run_error e
ANTI JOIN retracted USING (event_id)
ANTI JOIN superseded USING (event_id)
