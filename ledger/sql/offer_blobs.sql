INSERT INTO blobs SELECT sha256, octet_length(body), body FROM offered_blobs
