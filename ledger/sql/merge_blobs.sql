INSERT INTO blobs
SELECT b.sha256, octet_length(any_value(b.body)), any_value(b.body)
FROM atlas_offer.blobs b ANTI JOIN blobs here ON here.sha256 = b.sha256
GROUP BY b.sha256
