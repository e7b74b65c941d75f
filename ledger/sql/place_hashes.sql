-- Hashes of all branches at some places of an origin's chain.
SELECT seq, hash FROM events WHERE origin = $1 AND list_contains($2::BIGINT[], seq)
UNION ALL
SELECT seq, hash FROM conflicts WHERE origin = $1 AND list_contains($2::BIGINT[], seq)
