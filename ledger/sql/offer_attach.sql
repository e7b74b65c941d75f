ATTACH {file} AS atlas_offer (READ_ONLY, ROW_GROUP_SIZE {row_group})
