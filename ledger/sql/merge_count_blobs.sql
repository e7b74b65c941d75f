SELECT count(DISTINCT b.sha256) FROM atlas_offer.blobs b ANTI JOIN blobs here ON here.sha256 = b.sha256
