-- Where each branch of each origin ends: seq and hash of every event that none follows.
SELECT origin, max(seq) AS seq, arg_max(hash, seq) AS hash FROM events GROUP BY origin
UNION ALL
SELECT c.origin, c.seq, c.hash FROM conflicts c ANTI JOIN conflicts n ON n.prev_hash = c.hash
ORDER BY origin, seq, hash
