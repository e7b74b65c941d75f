SELECT seq, hash, prev_hash FROM conflicts WHERE origin = $1
