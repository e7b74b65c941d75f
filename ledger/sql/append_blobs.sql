INSERT INTO blobs
SELECT sha256, n_bytes, body FROM incoming_blobs ANTI JOIN blobs USING (sha256)
