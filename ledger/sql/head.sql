SELECT seq, hash FROM events WHERE origin = $1 ORDER BY seq DESC LIMIT 1
