SELECT origin FROM events GROUP BY origin HAVING count(*) > count(DISTINCT seq) ORDER BY origin
