-- summary: Files and commits that rows were measured with, where they lay, and what their content was.
-- grain: host, role, path, digest
-- columns: host       host of the rows
--          role       binary, model, draft, prompt, code object, commit or diff
--          path       absolute path; of a commit or diff the top folder of the working tree
--          digest     md5 of the content; of a commit its id; NULL when it was never taken
--          bytes      size, where it is known
--          rows       rows measured with it
--          row_id     the newest of them
--          is_newest  the newest row measured with this path had this content
WITH named AS (
    SELECT
        r.host,
        r.row_id,
        r.recorded_us,
        unnest([
            {role: 'binary', path: r.binary_path, digest: r.binary_md5, bytes: CAST(NULL AS BIGINT)},
            {role: 'model', path: r.model_path, digest: r.model_md5, bytes: r.model_bytes},
            {role: 'draft', path: r.draft_path, digest: r.draft_md5, bytes: NULL},
            {role: 'prompt', path: r.prompt_file, digest: r.prompt_file_md5, bytes: NULL},
            {role: 'commit', path: r.git_root, digest: c.commit, bytes: NULL},
            {role: 'diff', path: r.git_root, digest: r.diff_md5, bytes: NULL},
            {role: 'folder', path: r.objects_folder, digest: r.code_objects, bytes: NULL}
        ], recursive := true)
    FROM rows r
    LEFT JOIN commits c USING (git_sha)
),
grouped AS (
    SELECT
        host,
        role,
        path,
        digest,
        arg_max(bytes, recorded_us) AS bytes,
        count(*) AS rows,
        arg_max(row_id, {t: recorded_us, r: row_id}) AS row_id,
        max(recorded_us) AS recorded_us
    FROM named
    WHERE starts_with(path, '/') AND (digest IS NOT NULL OR role IN ('model', 'draft'))
    GROUP BY host, role, path, digest
),
placed AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY host, role, path ORDER BY digest IS NULL, recorded_us DESC, row_id DESC
        ) = 1 AS is_newest
    FROM grouped
),
-- A kernel cache may grow; only what lay in it when it was last used has to be there still.
member AS (
    SELECT p.*, unnest(s.entries) AS entry
    FROM placed p
    JOIN code_object_sets s USING (digest)
    WHERE p.role = 'folder' AND p.is_newest
)
SELECT host, role, path, digest, bytes, rows, row_id, is_newest
FROM placed
WHERE role <> 'folder' AND (is_newest OR digest IS NOT NULL)
UNION ALL
SELECT
    host, 'code object', path || '/' || entry[:-34], right(entry, 32), NULL, rows, row_id, TRUE
FROM member
