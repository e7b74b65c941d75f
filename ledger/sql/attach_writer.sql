ATTACH {file} AS ledger (ROW_GROUP_SIZE {row_group})
