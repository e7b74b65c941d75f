-- summary: Which rows are evidence, and what the others lack.
-- grain: row_id
-- columns: row_id       the row
--          recorded_us  when it was recorded, UTC microseconds
--          host         host
--          phase        phase
--          status       ok, partial or quarantined
--          evidence     measured or exploratory
--          missing      what is missing
--          hint         what would fill the commonest gap
--          disposition  what a person decided last; NULL if nobody did
SELECT
    r.row_id,
    r.recorded_us,
    r.host,
    r.phase,
    r.status,
    r.evidence,
    r.missing,
    CASE
        WHEN list_contains(r.missing, 'model_md5') THEN 'collect with --hash-models'
        WHEN list_contains(r.missing, 'second run') THEN 'collect with --runs 4'
        WHEN list_contains(r.missing, 'git_sha') THEN 'collect inside the repository'
        WHEN len(r.missing) > 0 THEN 'collect with `atlas collect-ar` rather than importing'
    END AS hint,
    coalesce(of_row.disposition, of_event.disposition) AS disposition
FROM rows r
LEFT JOIN dispositions of_row ON of_row.target = r.row_id
LEFT JOIN dispositions of_event ON of_event.target = r.event_id
