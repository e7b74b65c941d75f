-- summary: Commits that rows were measured under, short ids matched with the long one they begin.
-- grain: git_sha
-- columns: git_sha  as the row says it
--          commit   the longest known id that begins with it
WITH told AS (
    SELECT DISTINCT git_sha FROM rows WHERE regexp_full_match(git_sha, '[0-9a-f]{7,40}')
)
SELECT s.git_sha, arg_max(l.git_sha, len(l.git_sha)) AS commit
FROM told s
JOIN told l ON l.git_sha[:7] = s.git_sha[:7] AND starts_with(l.git_sha, s.git_sha)
GROUP BY s.git_sha
