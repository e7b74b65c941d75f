-- summary: Programs that were measured under more than one commit: the commit did not reach the program.
-- grain: binary_md5
-- columns: binary_md5   digest of the program
--          commits      commits it was measured under
--          diffs        states of the working tree it was measured under
--          hosts        hosts it ran on
--          rows         rows measured with it
--          binary_path  where it lay last
--          newest_row   the newest of them
-- param: limit INTEGER = 50  at most so many
-- example: atlas query same-binary
SELECT
    r.binary_md5,
    list_sort(list_distinct(list(r.git_sha))) AS commits,
    list_sort(list_distinct(list(coalesce(r.diff_md5, r.git_state)))) AS diffs,
    list_sort(list_distinct(list(r.host))) AS hosts,
    count(*) AS rows,
    arg_max(r.binary_path, r.recorded_us) AS binary_path,
    arg_max(r.row_id, {t: r.recorded_us, r: r.row_id}) AS newest_row
FROM rows r
WHERE r.binary_md5 IS NOT NULL
GROUP BY r.binary_md5
HAVING count(DISTINCT r.git_sha) > 1
ORDER BY len(commits) DESC, rows DESC, r.binary_md5
LIMIT $limit
