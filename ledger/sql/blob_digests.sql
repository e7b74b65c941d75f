SELECT sha256, octet_length(body) FROM blobs ORDER BY sha256
