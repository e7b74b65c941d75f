-- summary: How often the verdict ladder cries wolf and how often it sees what is plain, on a file of A/B attempts.
-- grain: one row
-- columns: series             base series with known arch, prompt and commit and at least 4 runs
--          pairs              base against base of attempts that agree in all three: nothing changed
--          claims_beyond      of these, judged faster or slower
--          claims             of these, judged faster, slower, faster_small or slower_small
--          plain_wrong        of these, medians differ by more than 1 %
--          separated          attempts with all runs of one side above all of the other, and a ratio off by more than 1 %
--          separated_claimed  of these, claimed
WITH attempt AS (
  SELECT row_number() OVER () AS ordinal, *
  FROM read_json(
    $path,
    format = 'newline_delimited',
    columns = {
      'arch': 'VARCHAR',
      'prompt_md5': 'VARCHAR',
      'base_sha': 'VARCHAR',
      'base_runs': 'DOUBLE[]',
      'var_runs': 'DOUBLE[]'
    }
  )
),
series AS (
  SELECT *
  FROM attempt
  WHERE len(base_runs) >= 4
    AND nullif(nullif(arch, ''), 'unknown') IS NOT NULL
    AND nullif(nullif(prompt_md5, ''), 'unknown') IS NOT NULL
    AND nullif(nullif(base_sha, ''), 'unknown') IS NOT NULL
),
no_change AS (
  SELECT judge(a.base_runs, b.base_runs) AS told
  FROM series AS a
  JOIN series AS b
    ON a.arch = b.arch
    AND a.prompt_md5 = b.prompt_md5
    AND a.base_sha = b.base_sha
    AND a.ordinal < b.ordinal
),
attempted AS (
  SELECT
    judge(base_runs, var_runs) AS told,
    list_min(var_runs) > list_max(base_runs) OR list_max(var_runs) < list_min(base_runs) AS apart
  FROM attempt
),
separated AS (
  SELECT told.verdict AS verdict
  FROM attempted
  WHERE apart AND abs(told.ratio - 1) > 0.01
)
SELECT
  (SELECT count(*) FROM series) AS series,
  count(*) AS pairs,
  count(*) FILTER (told.verdict IN ('faster', 'slower')) AS claims_beyond,
  count(*) FILTER (
    told.verdict IN ('faster', 'slower', 'faster_small', 'slower_small')
  ) AS claims,
  count(*) FILTER (abs(told.median_b / told.median_a - 1) > 0.01) AS plain_wrong,
  (SELECT count(*) FROM separated) AS separated,
  (
    SELECT count(*)
    FROM separated
    WHERE verdict IN ('faster', 'slower', 'faster_small', 'slower_small')
  ) AS separated_claimed
FROM no_change
