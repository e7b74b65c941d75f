-- summary: How each event with measurements came to be: a run made here, or something imported.
-- kinds: collection, ingest, reparse
-- grain: event_id
-- columns: event_id        the event
--          origin          stream of the event
--          seq             place in that stream
--          recorded_us     when it was recorded, UTC microseconds
--          kind            collection, ingest or reparse
--          session         the recording command; NULL for imports
--          source_name     name of the imported file
--          file_sha256     digest of the imported file
--          source_ordinal  which piece of the file
--          adapter         how it was read
--          supersedes      the event this one is a newer parse of
--          parser_version  version of the parser
--          program         program that ran
--          command         its command line
--          exit_code       its exit code
--          signal          signal that ended it
--          timed_out       it was ended because it took too long
--          started_us      when it started, UTC microseconds
--          ended_us        when it ended, UTC microseconds
--          entries         rows and error records in the event
SELECT
    event_id,
    origin,
    seq,
    recorded_us,
    kind,
    p.session_id AS session,
    p.source.name AS source_name,
    p.source.file_sha256 AS file_sha256,
    p.source.ordinal AS source_ordinal,
    p.source.adapter AS adapter,
    p.supersedes AS supersedes,
    coalesce(p.parser.version, 0) AS parser_version,
    p.run.program AS program,
    array_to_string(p.run.command, ' ') AS command,
    p.run.exit_code AS exit_code,
    p.run.signal AS signal,
    p.run.timed_out AS timed_out,
    p.run.started_us AS started_us,
    p.run.ended_us AS ended_us,
    CAST(coalesce(len(p.rows), 0) AS INTEGER) AS entries
FROM _parsed
WHERE kind IN ('collection', 'ingest', 'reparse') AND p IS NOT NULL
