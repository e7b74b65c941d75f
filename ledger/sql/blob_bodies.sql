SELECT sha256, body FROM blobs WHERE list_contains($1::VARCHAR[], sha256) ORDER BY sha256
