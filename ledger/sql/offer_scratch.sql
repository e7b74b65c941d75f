ATTACH ':memory:' AS atlas_offer (READ_WRITE)
