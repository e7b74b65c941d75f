ATTACH {file} AS atlas_offer (READ_ONLY)
