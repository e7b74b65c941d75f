-- summary: How far apart the two sides of a comparison were measured; each grade is weaker than the one before. What is unknown counts as apart.
-- columns: grade  interleaved, one session, sessions or hosts
-- param: paired BOOLEAN  runs of both sides took turns
-- param: same_session BOOLEAN  both sides come from one session
-- param: same_host BOOLEAN  both sides come from one host
-- example: SELECT evidence_grade(FALSE, TRUE, TRUE)
SELECT CASE
    WHEN NOT coalesce(same_host, FALSE) THEN 'hosts'
    WHEN NOT coalesce(same_session, FALSE) THEN 'sessions'
    WHEN coalesce(paired, FALSE) THEN 'interleaved'
    ELSE 'one session'
  END
