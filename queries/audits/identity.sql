-- summary: Rows whose identity is incomplete or can't be right: what keeps them from being evidence, malformed and misplaced digests, architectures in conflict.
-- grain: rule, id, subject, detail
-- columns: severity  fault: something recorded can't be right; note: something is missing
--          rule      no evidence, malformed, misplaced, conflict
--          id        the newest row, or the event where there is no row
--          subject   field or fields it is about
--          rows      rows or events it is about
--          host      host of the newest
--          detail    what was found
-- example: atlas audit identity
WITH digest AS (
    SELECT
        r.row_id,
        r.event_id,
        r.host,
        r.recorded_us,
        unnest([
            {field: 'git_sha', role: NULL, value: r.git_sha, form: '[0-9a-f]{7,40}'},
            {field: 'binary_md5', role: 'binary', value: r.binary_md5, form: '[0-9a-f]{32}'},
            {field: 'model_md5', role: 'model', value: r.model_md5, form: '[0-9a-f]{32}'},
            {field: 'draft_md5', role: 'model', value: r.draft_md5, form: '[0-9a-f]{32}'},
            {field: 'prompt_md5', role: 'prompt', value: r.prompt_md5, form: '[0-9a-f]{32}'},
            {field: 'diff_md5', role: 'diff', value: r.diff_md5, form: '[0-9a-f]{32}'},
            {field: 'tree_md5', role: 'tree', value: lower(r.tree_md5), form: '[0-9a-f]{32}'},
            {field: 'code_objects', role: NULL, value: lower(r.code_objects), form: '[0-9a-f]{64}'}
        ], recursive := true)
    FROM rows r
),
known AS (
    FROM digest WHERE value IS NOT NULL AND value NOT IN ('', 'unknown')
),
malformed AS (
    FROM known WHERE NOT regexp_full_match(value, form)
),
-- Digests of nothing and of a lone newline (a clean tree) may stand anywhere.
placed AS (
    SELECT * FROM known
    WHERE role IS NOT NULL AND regexp_full_match(value, form)
      AND value NOT IN ('d41d8cd98f00b204e9800998ecf8427e', '68b329da9893e34099c7d8ad5cb9c940')
),
in_role AS (
    SELECT
        value,
        field,
        any_value(role) AS role,
        count(*) AS rows,
        arg_max({id: row_id, host: host}, {t: recorded_us, r: row_id}) AS newest
    FROM placed
    GROUP BY value, field
),
found AS (
    SELECT
        'note' AS severity,
        'no evidence' AS rule,
        arg_max(row_id, {t: recorded_us, r: row_id}) AS id,
        array_to_string(missing, ', ') AS subject,
        count(*) AS rows,
        host,
        concat_ws(
            '; ',
            CASE WHEN status <> 'ok' THEN 'the rows are ' || status END,
            CASE WHEN len(missing) > 0 THEN 'missing: ' || array_to_string(missing, ', ') END,
            hint
        ) AS detail
    FROM evidence
    WHERE evidence <> 'measured'
    GROUP BY host, status, missing, hint
    UNION ALL BY NAME
    SELECT
        'fault' AS severity,
        'malformed' AS rule,
        arg_max(row_id, {t: recorded_us, r: row_id}) AS id,
        field AS subject,
        count(*) AS rows,
        arg_max(host, {t: recorded_us, r: row_id}) AS host,
        format('{} is no {}', value[:80], CASE field
            WHEN 'git_sha' THEN 'commit id (7 to 40 hex digits)'
            WHEN 'code_objects' THEN 'sha256 (64 hex digits)'
            ELSE 'md5 (32 hex digits)'
        END) AS detail
    FROM malformed
    GROUP BY field, value
    UNION ALL BY NAME
    SELECT
        'fault' AS severity,
        'misplaced' AS rule,
        arg_min(newest.id, {n: rows, f: field}) AS id,
        arg_min(field, {n: rows, f: field}) AS subject,
        min(rows) AS rows,
        arg_min(newest.host, {n: rows, f: field}) AS host,
        format('{} stands as {}', value, string_agg(
            format('{} in {} row{}', field, rows, CASE WHEN rows = 1 THEN '' ELSE 's' END),
            ' and as ' ORDER BY rows, field
        )) AS detail
    FROM in_role
    GROUP BY value
    HAVING count(DISTINCT role) > 1
    UNION ALL BY NAME
    SELECT
        'fault' AS severity, 'conflict' AS rule, row_id AS id, 'arch' AS subject, 1 AS rows, host,
        array_to_string(why, '; ') AS detail
    FROM rows
    WHERE array_to_string(why, '; ') LIKE '%architecture in conflict%'
    UNION ALL BY NAME
    SELECT
        'fault' AS severity,
        'malformed' AS rule,
        f.event_id AS id,
        f.place AS subject,
        count(*) AS rows,
        any_value(g.host) AS host,
        f.message AS detail
    FROM finding f
    JOIN event_log g USING (event_id)
    ANTI JOIN retracted USING (event_id)
    ANTI JOIN superseded USING (event_id)
    ANTI JOIN malformed m ON m.event_id = f.event_id AND m.field = f.place
    WHERE f.code = 'provenance_malformed'
    GROUP BY f.event_id, f.place, f.message
)
SELECT severity, rule, id, subject, rows, host, detail
FROM found
ORDER BY severity, rule, subject, id, detail
