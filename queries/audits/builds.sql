-- summary: Programs and commits that don't belong together: one program under several commits, several under one clean commit, older than its commit, results equal to the last digit.
-- grain: rule, subject, row_id
-- columns: severity  fault: the commit doesn't tell what ran; note: it may be so for a reason
--          rule      same program, several programs, older than its commit, or equal values
--          subject   program, commit or metric it is about
--          row_id    the newest row of it
--          rows      rows it is about
--          host      host of the newest row
--          detail    what was found
-- example: atlas audit builds
WITH measured AS (
    SELECT r.*, c.commit
    FROM rows r
    JOIN commits c USING (git_sha)
),
-- The digest of a script says nothing of what it ran.
built AS (
    SELECT
        *,
        binary_mtime_us < committed_us AS is_stale,
        coalesce(binary_path, split_part(command, ' ', 1), '') AS place
    FROM measured
    WHERE binary_md5 IS NOT NULL AND NOT coalesce(is_script, FALSE)
),
same_program AS (
    SELECT
        CASE WHEN bool_and(coalesce(NOT is_stale, FALSE)) THEN 'note' ELSE 'fault' END AS severity,
        'same program' AS rule,
        binary_md5 AS subject,
        arg_max(row_id, {t: recorded_us, r: row_id}) AS row_id,
        count(*) AS rows,
        arg_max(host, {t: recorded_us, r: row_id}) AS host,
        format(
            'one program under commits {}: {}', shown_ids(list(commit)),
            CASE
                WHEN bool_and(coalesce(NOT is_stale, FALSE))
                    THEN 'written after each of them, so they build the same'
                ELSE 'no sign that it was built again'
            END
        ) AS detail
    FROM built
    GROUP BY binary_md5
    HAVING count(DISTINCT commit) > 1
),
several_programs AS (
    SELECT
        'fault' AS severity,
        'several programs' AS rule,
        commit AS subject,
        arg_max(row_id, {t: recorded_us, r: row_id}) AS row_id,
        count(*) AS rows,
        host,
        format(
            'one clean commit, one toolchain, programs {} at {}: not built from it, or not '
            'reproducibly', shown_ids(list(binary_md5)), place
        ) AS detail
    FROM built
    WHERE git_state = 'clean'
    GROUP BY host, commit, place, hip_version, rocm_version
    HAVING count(DISTINCT binary_md5) > 1
),
stale AS (
    SELECT
        'fault' AS severity,
        'older than its commit' AS rule,
        binary_md5 AS subject,
        arg_max(row_id, {t: recorded_us, r: row_id}) AS row_id,
        count(*) AS rows,
        host,
        format(
            '{} was written {}, the commit {} was made {}', place,
            strftime(make_timestamp(max(binary_mtime_us)), '%Y-%m-%d %H:%M:%S'), commit[:12],
            strftime(make_timestamp(min(committed_us)), '%Y-%m-%d %H:%M:%S')
        ) AS detail
    FROM built
    WHERE is_stale
    GROUP BY host, binary_md5, place, commit
),
-- Acceptance lengths don't depend on time: they are equal when nothing changed.
timed AS (
    SELECT * FROM measured
    WHERE status = 'ok' AND NOT contested AND value <> 0 AND metric <> 'tau'
),
twin_series AS (
    SELECT
        s.workload_key,
        s.metric,
        s.samples,
        arg_max(s.sample_ids[-1], s.at_us) AS row_id,
        sum(s.n)::BIGINT AS rows,
        any_value(s.host) AS host,
        list(c.commit) AS commits
    FROM series s
    JOIN commits c USING (git_sha)
    WHERE s.kind = 'row' AND s.metric <> 'tau' AND len(list_distinct(s.samples)) > 1
    GROUP BY s.workload_key, s.metric, s.samples
    HAVING count(DISTINCT c.commit) > 1
),
twin_values AS (
    SELECT
        workload_key,
        metric,
        value,
        arg_max(row_id, {t: recorded_us, r: row_id}) AS row_id,
        count(*) AS rows,
        arg_max(host, {t: recorded_us, r: row_id}) AS host,
        list(commit) AS commits,
        count(DISTINCT run_key) < count(DISTINCT {k: run_key, c: commit}) AS is_one_run
    FROM timed
    ANTI JOIN (
        SELECT workload_key, metric, unnest(samples) AS value FROM twin_series
    ) USING (workload_key, metric, value)
    GROUP BY workload_key, metric, value
    HAVING count(DISTINCT commit) > 1
),
found AS (
    FROM same_program
    UNION ALL BY NAME FROM several_programs
    UNION ALL BY NAME FROM stale
    UNION ALL BY NAME
    SELECT
        'fault' AS severity, 'equal values' AS rule, metric AS subject, row_id, rows, host,
        format(
            'runs {} are equal to the last digit under commits {}',
            array_to_string(samples[:8], ', '), shown_ids(commits)
        ) AS detail
    FROM twin_series
    UNION ALL BY NAME
    SELECT
        CASE WHEN is_one_run THEN 'fault' ELSE 'note' END AS severity,
        'equal values' AS rule,
        metric AS subject,
        row_id,
        rows,
        host,
        format(
            '{} under commits {}: {}', value::VARCHAR, shown_ids(commits),
            CASE
                WHEN is_one_run THEN 'one run stands under several commits'
                ELSE 'equal to the last digit, which chance can do to single runs'
            END
        ) AS detail
    FROM twin_values
)
SELECT severity, rule, subject, row_id, rows, host, detail
FROM found
ORDER BY severity, rule, subject, row_id
