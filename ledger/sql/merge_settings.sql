-- A large commit goes into the file at once, not by way of the write-ahead log, and is held in memory until then.
SET wal_autocheckpoint = '1KB';
SET memory_limit = '4GB';
