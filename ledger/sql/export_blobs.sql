SELECT sha256, body FROM blobs ORDER BY sha256
