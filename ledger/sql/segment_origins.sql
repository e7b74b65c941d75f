SELECT origin, count(*), min(seq), max(seq) FROM events GROUP BY origin ORDER BY origin
