SELECT seq, hash, prev_hash FROM _arriving WHERE origin = $1
