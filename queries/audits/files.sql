-- summary: Files and commits of this host's rows that are gone or are no longer what was measured: programs, models, prompts, code objects, commits, the working tree.
-- grain: rule, role, path, digest
-- columns: severity  fault: what was last measured can't be found again; note: it has moved on
--          rule      missing, replaced, unreadable or changed
--          role      binary, model, draft, prompt, code object, commit or diff
--          path      where it lay; of a commit or diff the top folder of the working tree
--          digest    what was recorded
--          row_id    the newest row measured with it
--          rows      rows measured with it
--          detail    what is there now
-- param: host VARCHAR = NULL  only rows of this host
-- example: atlas audit files
WITH faced AS (
    SELECT r.*, o.found, o.why, o.bytes AS bytes_now
    FROM recorded_files r
    JOIN observed_files o
        ON o.role = r.role AND o.path = r.path AND coalesce(o.asked, r.digest) IS NOT DISTINCT FROM r.digest
    WHERE $host IS NULL OR r.host = $host
),
judged AS (
    SELECT
        *,
        CASE
            WHEN role = 'diff' THEN
                CASE WHEN is_newest AND found IS NOT NULL AND found <> digest THEN 'changed' END
            WHEN NOT is_newest AND role <> 'commit' THEN
                CASE
                    WHEN role IN ('model', 'draft', 'prompt') AND found IS NOT NULL AND found <> digest
                        THEN 'replaced'
                END
            WHEN why = 'missing' THEN 'missing'
            WHEN why IS NOT NULL AND bytes_now IS NULL THEN 'unreadable'
            WHEN bytes_now <> bytes OR found <> digest THEN 'replaced'
        END AS rule
    FROM faced
)
SELECT
    CASE
        WHEN rule IN ('changed', 'unreadable') OR (NOT is_newest AND role <> 'commit') THEN 'note'
        ELSE 'fault'
    END AS severity,
    rule,
    role,
    path,
    digest,
    row_id,
    rows,
    CASE
        WHEN rule = 'missing' AND role = 'commit' THEN 'the repository doesn''t hold this commit'
        WHEN rule = 'missing' THEN 'nothing lies there'
        WHEN rule = 'unreadable' THEN why
        WHEN rule = 'changed' THEN 'the working tree is ' || found || ' now'
        WHEN NOT is_newest THEN 'later rows were measured with other content'
        WHEN found IS NULL THEN format('it has {} bytes, {} were recorded', bytes_now, bytes)
        ELSE 'its content is ' || found || ' now'
    END AS detail
FROM judged
WHERE rule IS NOT NULL
ORDER BY severity, rule, role, path, digest
