-- A large commit goes into the file at once, not by way of the write-ahead log.
SET wal_autocheckpoint = '1KB'
