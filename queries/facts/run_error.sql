-- summary: Runs that gave no observation, with the reason; never a measurement.
-- kinds: collection, ingest, reparse
-- grain: event_id, ordinal
-- columns: event_id     the event the record comes from
--          ordinal      position within the event
--          origin       stream of the event
--          seq          place in that stream
--          recorded_us  when the event was recorded, UTC microseconds
--          host         host it ran on
--          phase        provisional phase: ar or dflash
--          workload     name of the workload
--          arch         GPU architecture, if known
--          reason       stable code: exit_nonzero, timeout, missing_summary, zero_tokens …
--          message      one sentence
--          exit_code    exit code of the program
--          signal       signal that ended it
--          timed_out    it was ended because it took too long
--          run_index    index of the run within its collection
--          supersedes   the event this one is a newer parse of
--          parser_version version of the parser
--          session      one recording command; NULL for imports
WITH entry AS (
    SELECT e.*, unnest(e.p.rows) AS x, generate_subscripts(e.p.rows, 1) - 1 AS ordinal
    FROM _parsed e
    WHERE e.kind IN ('collection', 'ingest', 'reparse')
),
failed AS (
    FROM entry
    WHERE x.row.phase IN ('ar', 'dflash')
       OR x.status = 'error'
       OR x.row.status = 'error'
)
SELECT
    f.event_id,
    CAST(f.ordinal AS INTEGER) AS ordinal,
    f.origin,
    f.seq,
    f.recorded_us,
    coalesce(nullif(nullif(x.row.hostname, ''), 'unknown'), f.host) AS host,
    x.row.phase AS phase,
    nullif(x.row.workload, '') AS workload,
    nullif(nullif(lower(x.row.arch), ''), 'unknown') AS arch,
    coalesce(x.row.reason, 'error') AS reason,
    -- The tail is kilobytes in every row: it is read where it is needed, not parsed for all.
    coalesce(
        x.row.message,
        nullif(TRY(json_extract_string(n.payload, '$.rows[' || f.ordinal || '].row.stderr_tail')), ''),
        'the run failed'
    ) AS message,
    p.run.exit_code AS exit_code,
    p.run.signal AS signal,
    p.run.timed_out AS timed_out,
    x.row.run_index AS run_index,
    p.supersedes AS supersedes,
    coalesce(p.parser.version, 0) AS parser_version,
    p.session_id AS session
FROM failed f JOIN _new n USING (event_id)
