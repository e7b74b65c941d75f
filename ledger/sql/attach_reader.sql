ATTACH {file} AS ledger (READ_ONLY, ROW_GROUP_SIZE {row_group})
