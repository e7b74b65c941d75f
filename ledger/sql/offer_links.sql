SELECT seq, hash, prev_hash FROM events WHERE origin = $1
